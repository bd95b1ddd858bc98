"""Schedules that failed once, shrunk: arguments of soak, each a test and a part of what counts
branches."""

FAILED_ONCE = [
    "--seed 335051734261 --only 0,1 --senders 3 --messages 2 --packets 3",
    "--seed 335051731480 --only 0,4 --senders 2 --messages 1 --packets 12",
    "--seed 343499336327 --only 0,2,5,7 --senders 3 --messages 1 --packets 1",
    "--seed 348778028800 --network uhc:4 --only 1,7 --senders 1 --messages 2 --packets 1",
    "--seed 353977154123 --only 0 --senders 2 --messages 3 --packets 1",
    "--seed 668522606679 --kind flaps --only 1,2 --senders 1 --messages 2 --packets 1",
    "--seed 668522620787 --kind sequence --only 0,1,5 --senders 1 --messages 10 --packets 1",
    "--seed 2969 --kind parts --only none --senders 4 --messages 4 --packets 1",
    "--seed 4318 --kind parts --only none --senders 4 --messages 2 --packets 1",
    "--seed 11988 --kind parts --only none --senders 4 --messages 2 --packets 1",
    "--seed 502627 --kind parts --only none --senders 4 --messages 2 --packets 1",
    "--seed 504777 --kind parts --only none --senders 4 --messages 4 --packets 1",
    "--seed 1001385 --kind parts --only none --senders 3 --messages 3 --packets 1",
    "--seed 1001445 --kind parts --only none --senders 3 --messages 3 --packets 1",
    "--seed 668522814951 --kind flaps --only 2,3 --senders 1 --messages 3 --packets 1",
    "--seed 2169 --kind parts --only 0,1,2,3,4 --senders 3 --messages 2 --packets 1",
    "--seed 145 --kind parts --only 3 --senders 2 --messages 1 --packets 1",
    "--seed 1190 --kind resets --only 0,2,3,4 --senders 3 --messages 1 --packets 1",
    "--seed 2425 --kind resets --only 0,1 --senders 5 --messages 1 --packets 1",
    "--seed 3419 --kind resets --only 0,1,2,3,4,5,6 --senders 5 --messages 2 --packets 1",
    "--seed 3562 --kind resets --only 0 --senders 6 --messages 2 --packets 1",
]
