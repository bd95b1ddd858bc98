// A queue of objects by a member `next` of theirs.
#pragma once

#include <utility>

namespace mesh::mpi {

/// Objects in the order in which they were pushed. They stay the caller's, and one may be in one
/// queue at a time. Steps: as many as there are objects to find() one, else one.
template <class T>
class Queue {
public:
    /// Puts an object behind the others.
    void push(T& object) {
        object.next = nullptr;
        *end_ = &object;
        end_ = &object.next;
    }
    /// The link to the first object, or to nullptr.
    T** begin() { return &first_; }
    /// The link to the first object that `is_it` holds for, or the one behind the last, to nullptr.
    template <class Predicate>
    T** find(Predicate is_it) {
        T** link = &first_;
        while (*link != nullptr && !is_it(**link))
            link = &(*link)->next;
        return link;
    }
    /// Takes out the object that `link` leads to, of which there must be one.
    T* take(T** link) {
        T* const object = *link;
        *link = object->next;
        if (end_ == &object->next)
            end_ = link;
        return object;
    }
    /// Undoes take(), if the queue is as it was then.
    void put_back(T** link, T& object) {
        object.next = *link;
        *link = &object;
        if (end_ == link)
            end_ = &object.next;
    }
    /// Takes out the first object that `is_it` holds for; nullptr: there is none.
    template <class Predicate>
    T* take_first(Predicate is_it) {
        T** const link = find(is_it);
        return *link == nullptr ? nullptr : take(link);
    }

private:
    T* first_ = nullptr;
    T** end_ = &first_;
};

} // namespace mesh::mpi
