package io.kjadm.etcd.auto;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One object of the log.
 *
 * @param place   where it is
 * @param author  who has written it
 * @param body    what it does
 * @param why     the facts that its writer decided by, in words
 * @param command the command that an operator would run to do the same; empty if there is none
 */
public record Entry(Place place, Author author, EntryBody body, String why, String command) {

    public Entry {
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(author, "author");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(command, "command");
    }

    /**
     * Where an entry belongs. It fits no other slot, and no other log.
     *
     * @param uid      of the cluster file
     * @param slot     from 1 on
     * @param previous SHA-256 of the entry before it, hexadecimal; for slot 1 of the cluster file
     */
    public record Place(String uid, long slot, String previous) {

        public Place {
            Objects.requireNonNull(uid, "uid");
            Objects.requireNonNull(previous, "previous");
        }
    }

    /**
     * Who has written an entry.
     *
     * @param machine empty for a person with the token
     * @param run     how often the machine's daemon has been started; 0 for a person
     * @param nonce   makes each entry different from every other, hexadecimal
     * @param at      by the writer's clock; the pace of removals alone is decided by it
     */
    public record Author(Optional<MachineId> machine, long run, String nonce, Instant at) {

        public Author {
            Objects.requireNonNull(machine, "machine");
            Objects.requireNonNull(nonce, "nonce");
            Objects.requireNonNull(at, "at");
        }

        /** Whether it is that machine. */
        public boolean is(MachineId id) {
            return machine.filter(id::equals).isPresent();
        }
    }
}
