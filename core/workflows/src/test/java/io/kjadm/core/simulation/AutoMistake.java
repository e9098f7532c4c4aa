package io.kjadm.core.simulation;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.Membership;
import io.kjadm.store.ForwardingStore;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.StoreException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Deliberate mistakes; each of them breaks a promise. */
enum AutoMistake implements Supplier<AutoTampering> {

    // ---- the store

    /** A put that the store was too busy for is taken for one whose object is there. */
    CONFLICT_IS_CREATED(
            878,
            "lets clients into a cluster that is not ready",
            puts((_, _, _, put) -> put == Put.CONFLICT ? Put.CREATED : put)),

    /** A put whose answer is lost is taken for one whose object is there. */
    UNKNOWN_IS_CREATED(
            605,
            "lets clients into a cluster that is not ready",
            puts((_, _, _, put) -> put == Put.UNKNOWN ? Put.CREATED : put)),

    /** A put that finds another object is taken for one that has written its own. */
    EXISTS_IS_CREATED(
            1, "UNSAFE_STORE", puts((_, _, _, put) -> put == Put.EXISTS ? Put.CREATED : put)),

    /** Whoever puts an object replaces one that is there. */
    PUTS_REPLACE(1, "UNSAFE_STORE", puts((store, key, content, put) -> {
        if (put == Put.EXISTS) {
            store.replace(key, content);
        }
        return Put.CREATED;
    })),

    /** A log that was repaired is not read again. */
    UNSAFE_STAYS(14, "does not end: UNSAFE_STORE", new AutoTampering() {
        @Override
        boolean restarts() {
            return false;
        }
    }),

    /** A write that is refused is taken for one that is done. */
    REFUSALS_ARE_IGNORED(403000135, "a machine and its copy act", new AutoTampering() {
        @Override
        ObjectStore store(ObjectStore real, Host host) {
            return new ForwardingStore(real) {
                @Override
                public Put put(String key, byte[] content) {
                    try {
                        return super.put(key, content);
                    } catch (StoreException e) {
                        return super.read(key, content.length).isPresent()
                                ? Put.EXISTS
                                : Put.UNKNOWN;
                    }
                }

                @Override
                public void replace(String key, byte[] content) {
                    try {
                        super.replace(key, content);
                    } catch (StoreException e) {
                        // as if it were done
                    }
                }
            };
        }
    }),

    // ---- what a machine remembers

    /** A machine that starts again has forgotten the log. */
    LOG_IS_FORGOTTEN(345, "after the last fault", forgetting("/log/0")),

    /** A machine that starts again is another one. */
    IDENTITY_IS_FORGOTTEN(6, "is started on another disk", forgetting("identity.json")),

    /** A machine does not know what it has stopped. */
    FENCE_IS_FORGOTTEN(1, "after the last fault", forgetting("fenced-")),

    // ---- what it decides by

    /** An emptied log is taken for a new one. */
    EMPTIED_LOG_IS_NEW(
            871,
            "clients were let into two clusters",
            TamperedFacts.facts(facts -> facts.store()
                            instanceof StoreView.Answers(var _, var ahead)
                    ? TamperedFacts.store(facts, new StoreView.Answers(TamperedFacts.NEW, ahead))
                    : facts)),

    /** A log that cannot be read is taken for the one that was read last. */
    STORE_IS_ASSUMED(
            94,
            "writes without the log",
            TamperedFacts.facts(facts -> facts.store() instanceof StoreView.Answers
                    ? facts
                    : TamperedFacts.store(
                            facts, new StoreView.Answers(TamperedFacts.NEW, Optional.empty())))),

    /** A pause that was read stops nobody. */
    PAUSE_IS_IGNORED(
            26,
            "begins something in a pause",
            TamperedFacts.facts(facts -> TamperedFacts.with(
                    facts, TamperedFacts.pause(facts.charter(), Optional.empty())))),

    /** Nobody ends a pause whose time is over. */
    RESUME_IS_FORGOTTEN(
            2,
            "does not end: PAUSED",
            TamperedFacts.facts(facts -> TamperedFacts.with(
                    facts,
                    new Memory(
                            facts.memory().held(),
                            facts.memory().failed(),
                            Duration.ZERO,
                            facts.memory().saved(),
                            facts.memory().now())))),

    /** A voter is removed without a snapshot of the cluster. */
    SNAPSHOT_IS_ASSUMED(
            154,
            "removes a voter without a snapshot",
            TamperedFacts.facts(facts -> TamperedFacts.with(
                    facts,
                    new Memory(
                            facts.memory().held(),
                            facts.memory().failed(),
                            facts.memory().paused(),
                            Optional.of(Duration.ZERO),
                            facts.memory().now())))),

    /** A second change begins while one is open. */
    CHANGE_IS_IGNORED(
            1,
            "would be void: the change of slot",
            TamperedFacts.members(members -> new Membership(
                    members.voters(),
                    Optional.empty(),
                    members.held(),
                    members.removals(),
                    members.withdrawn()))),

    /** What a person has removed is refilled at once. */
    HOLD_IS_IGNORED(
            26,
            "would be void: slot",
            TamperedFacts.members(members -> new Membership(
                    members.voters(),
                    members.change(),
                    Optional.empty(),
                    members.removals(),
                    members.withdrawn()))),

    /** Clients are let into a cluster that forms. */
    CLIENTS_BEFORE_READY(
            1,
            "lets clients into a cluster that is not ready",
            TamperedFacts.facts(facts -> facts.charter().phase() == Charter.Phase.FORMING
                            && facts.local().setUp()
                    ? TamperedFacts.with(
                            facts, TamperedFacts.phase(facts.charter(), Charter.Phase.OPEN))
                    : facts)),

    /** Whoever reads that a cluster is founded founds it. */
    EVERYBODY_FOUNDS(
            1,
            "founds a cluster that the log gives to another",
            TamperedFacts.facts(facts -> facts.charter()
                    .form()
                    .map(form -> TamperedFacts.with(
                            facts,
                            TamperedFacts.began(
                                    facts.charter(),
                                    new EntryBody.Form(
                                            form.generation(),
                                            form.token(),
                                            facts.self().id(),
                                            TamperedFacts.at(
                                                    form.seat(), facts.self().peerUrl()),
                                            form.cluster()))))
                    .orElse(facts))),

    /** A machine that has not been heard is gone. */
    SILENCE_IS_DEATH(
            1,
            "entries were written",
            TamperedFacts.facts(facts -> TamperedFacts.machines(
                    facts,
                    seen -> new AutoFacts.Seen(seen.report(), seen.age(), Duration.ofHours(1))))),

    /** A machine whose data are lost takes itself for one that never had any. */
    LOST_IS_BLANK(40, "1 of them lost", new AutoTampering() {
        @Override
        Data data(Data real) {
            return real instanceof Data.Lost ? new Data.Blank() : real;
        }
    }),

    /** Whether another machine has the same ID is not asked. */
    COPY_IS_IGNORED(
            307,
            "a machine and its copy act",
            TamperedFacts.facts(facts -> TamperedFacts.local(
                    facts,
                    new AutoFacts.Stops(
                            facts.local().stops().busy(),
                            Optional.empty(),
                            facts.local().stops().person())))),

    // ---- what it does

    /** A machine says that its member is stopped for good, and it is not. */
    NOT_STOPPED(1, "that it has stopped for good", new AutoTampering() {
        @Override
        boolean stops() {
            return false;
        }
    }),

    /** Changes of members leave without a look at the log. */
    NO_GUARD(581, "that the log does not name", new AutoTampering() {
        @Override
        EtcdConnector guarded(EtcdConnector real, EtcdConnector guarded) {
            return real;
        }
    }),

    /** etcd starts wherever its data directory is. */
    NO_START_CHECK(6, "is started on another disk", new AutoTampering() {
        @Override
        boolean checksStart() {
            return false;
        }
    }),

    /** etcd starts with data that were put back. */
    AGE_IS_IGNORED(10, "runs data that are older", new AutoTampering() {
        @Override
        boolean knowsAge() {
            return false;
        }
    }),

    /** What is in the way is deleted. */
    DATA_ARE_DELETED(1, "data are deleted", new AutoTampering() {
        @Override
        boolean keepsData() {
            return false;
        }
    }),

    /** etcd starts on the disk that is there. */
    DISK_IS_ANY(403000000, "runs the data of another machine", new AutoTampering() {
        @Override
        boolean checksStart() {
            return false;
        }
    }),

    /** The next generation begins without the newest entries. */
    RESTORE_LOSES_DATA(1, "begins with index", new AutoTampering() {
        @Override
        long restores(long index) {
            return index - 1;
        }
    }),

    /** The token suffices for what an operator alone may say. */
    TOKEN_SUFFICES(1, "no operator has said", new AutoTampering() {
        @Override
        boolean asksForSignatures() {
            return false;
        }
    }),

    /** A person gives up voters that live. */
    LOST_ONES_LIVE(210, "have a quorum each", new AutoTampering() {
        @Override
        boolean namesTheLost() {
            return false;
        }
    });

    /** From there on a schedule that shows it is near. */
    final long first;
    /** Of the promise that is broken then. */
    final String promise;

    private final AutoTampering tampering;

    AutoMistake(long first, String promise, AutoTampering tampering) {
        this.first = first;
        this.promise = promise;
        this.tampering = tampering;
    }

    /** The schedules that show it. */
    LongFunction<AutoSchedule> schedules() {
        return switch (this) {
            case NOT_STOPPED,
                    FENCE_IS_FORGOTTEN,
                    DATA_ARE_DELETED,
                    RESTORE_LOSES_DATA,
                    LOST_ONES_LIVE -> AutoSchedule::restoring;
            case TOKEN_SUFFICES -> AutoSchedule::forged;
            case REFUSALS_ARE_IGNORED, DISK_IS_ANY -> AutoSchedule::muddled;
            default -> AutoSchedule::of;
        };
    }

    @Override
    public AutoTampering get() {
        return tampering;
    }

    // ---- how they are made

    private interface Answer {
        Put of(ObjectStore store, String key, byte[] content, Put put);
    }

    private static AutoTampering puts(Answer answer) {
        return new AutoTampering() {
            @Override
            ObjectStore store(ObjectStore real, Host host) {
                return new ForwardingStore(real) {
                    @Override
                    public Put put(String key, byte[] content) {
                        return answer.of(real, key, content, super.put(key, content));
                    }
                };
            }
        };
    }

    private static AutoTampering forgetting(String file) {
        return new AutoTampering() {
            @Override
            HostFiles files(HostFiles real) {
                return new ForwardingFiles(real) {
                    @Override
                    public void write(Path path, byte[] content, FileMode mode) {
                        if (!path.toString().contains(file)) {
                            super.write(path, content, mode);
                        }
                    }
                };
            }
        };
    }
}
