// The environment of a node: there is none, also in a simulation, where it would be the user's.
extern "C" char* getenv(const char*) noexcept { return nullptr; }
