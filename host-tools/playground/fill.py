"""Pages that are made of a frame and its parts."""


def filled(page, parts):
    """The text of `page` with each mark of `parts`, which is there once, replaced by its text."""
    for mark, part in parts.items():
        before, after = page.split(mark)
        page = before + part + after
    return page
