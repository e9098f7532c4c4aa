package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What an entry of the log does. {@link Charter} says when it is valid.
 */
public sealed interface EntryBody {

    /** A generation of the cluster begins. */
    sealed interface Beginning extends EntryBody permits Form, Adopt {

        /** 1 for the first one, then one more each. */
        int generation();

        /** ID of its cluster, hexadecimal. */
        String cluster();
    }

    /**
     * A machine founds the cluster: a generation begins. Its IDs are known before etcd is started
     * ({@link io.kjadm.etcd.MemberIds#ofFounder}).
     *
     * @param generation 1 for the first one, then one more each
     * @param token      {@code --initial-cluster-token}
     * @param founder    the machine that writes this
     * @param seat       its member to be
     * @param cluster    ID of the cluster to be, hexadecimal
     */
    record Form(int generation, String token, MachineId founder, Seat seat, String cluster)
            implements Beginning {

        public Form {
            Objects.requireNonNull(token, "token");
            Objects.requireNonNull(founder, "founder");
            Objects.requireNonNull(seat, "seat");
            Objects.requireNonNull(cluster, "cluster");
        }
    }

    /**
     * A cluster that others have set up, and that clients use, is the first generation. An operator
     * signs it. Its machines say themselves which voter is theirs ({@link Claim}).
     *
     * @param voters as etcd lists them, none of them on a machine
     */
    record Adopt(String cluster, List<Seat> voters) implements Beginning {

        public Adopt {
            Objects.requireNonNull(cluster, "cluster");
            voters = List.copyOf(voters);
        }

        /** The cluster that its members have told of. */
        public static Adopt of(String cluster, EtcdHealth health) {
            return new Adopt(cluster, health.voters().stream().map(Seat::of).toList());
        }

        @Override
        public int generation() {
            return 1;
        }
    }

    /**
     * A voter that no machine of the log has added runs on the machine that writes this.
     *
     * @param member the voter
     */
    record Claim(int generation, MemberId member) implements EntryBody {

        public Claim {
            Objects.requireNonNull(member, "member");
        }
    }

    /** Enough members vote: clients may use the cluster from now on. */
    record Ready(int generation) implements EntryBody {}

    /** The founder is gone, and no client has used its cluster: another machine may found one. */
    record Abandon(int generation) implements EntryBody {}

    /**
     * The one change of members that is open begins: a member is added, or one is removed. {@link Done}
     * closes it.
     *
     * @param actor   the machine that changes the members
     * @param added   the member that is added, on the machine of the actor
     * @param removed the voter that is removed
     * @param before  the voters before the change
     */
    record Change(
            int generation,
            MachineId actor,
            Optional<Added> added,
            Optional<MemberId> removed,
            Set<MemberId> before)
            implements EntryBody {

        public Change {
            Objects.requireNonNull(actor, "actor");
            if (added.isPresent() == removed.isPresent()) {
                throw new IllegalArgumentException("a change adds a member or removes one");
            }
            before = Set.copyOf(before);
        }

        /** A machine adds its member. */
        public static Change add(int generation, Added added, Set<MemberId> before) {
            return new Change(
                    generation, added.machine(), Optional.of(added), Optional.empty(), before);
        }

        /** A machine removes a voter. */
        public static Change remove(
                int generation, MachineId actor, MemberId removed, Set<MemberId> before) {
            return new Change(generation, actor, Optional.empty(), Optional.of(removed), before);
        }

        /** What it does, in words. */
        public String text() {
            return added.map(member -> "adds member " + member.name())
                    .orElseGet(() -> "removes member " + removed.orElseThrow());
        }
    }

    /**
     * A member that is added. etcd gives it its ID.
     *
     * @param machine on which it will run
     * @param name    by which etcd will list it
     */
    record Added(MachineId machine, String name, List<URI> peerUrls) {

        public Added {
            Objects.requireNonNull(machine, "machine");
            Objects.requireNonNull(name, "name");
            peerUrls = List.copyOf(peerUrls);
        }
    }

    /**
     * A change has ended, well or not: the voters are as etcd lists them now. The machine that began it
     * writes this, or another one if that is gone.
     *
     * @param change slot of the {@link Change}
     */
    record Done(long change, List<Seat> voters) implements EntryBody {

        public Done {
            voters = List.copyOf(voters);
        }
    }

    /**
     * Others have changed the members: the voters are as etcd lists them. If one of the log is missing,
     * no machine changes members until a person writes a {@link Resume}.
     */
    record Observed(List<Seat> voters) implements EntryBody {

        public Observed {
            voters = List.copyOf(voters);
        }
    }

    /** An operator wants another cluster: another version, or another number of voters. */
    record Spec(ClusterSpec spec) implements EntryBody {

        public Spec {
            Objects.requireNonNull(spec, "spec");
        }
    }

    /**
     * No machine begins anything until a {@link Resume}.
     *
     * @param lasts after that time the machines end it; empty if only a person does
     */
    record Pause(Optional<Duration> lasts, String reason) implements EntryBody {

        public Pause {
            Objects.requireNonNull(lasts, "lasts");
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * The end of a pause, or of the hold after a voter was removed by others.
     *
     * @param pause slot of the {@link Pause}, or of the {@link Observed}
     */
    record Resume(long pause) implements EntryBody {}

    /**
     * An operator's word that a cluster has lost its quorum for good: it ends, and the next generation
     * begins with its data. It replaces an earlier word on the same generation.
     *
     * @param generation that ends
     * @param lost       members whose machines never run them again; nothing but this word proves it
     * @param founder    of the next generation; empty if any machine may found it
     * @param source     of its data
     * @param acceptLoss whether a survivor counts although another machine holds newer data
     */
    record Restore(
            int generation,
            Set<MemberId> lost,
            Optional<MachineId> founder,
            Source source,
            boolean acceptLoss,
            String reason)
            implements EntryBody {

        public Restore {
            lost = Set.copyOf(lost);
            Objects.requireNonNull(founder, "founder");
            Objects.requireNonNull(source, "source");
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * Where the data of a generation come from.
     *
     * @param snapshot if it is one
     */
    record Source(Kind kind, Optional<Snapshot> snapshot) {

        /** What it is. */
        public enum Kind {
            /** The data of the founder's member. */
            SURVIVOR,
            /** A snapshot. */
            SNAPSHOT,
            /** None: the word is taken back, and the cluster does not end. */
            NONE
        }

        public Source {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(snapshot, "snapshot");
        }
    }

    /**
     * A snapshot of a store.
     *
     * @param cluster    ID of the cluster that it is of, hexadecimal
     * @param recipients who can read it, as age writes them; none if it is not encrypted, or an older
     *                   kjadm has written the entry
     */
    record Snapshot(
            String store, String name, String cluster, long revision, List<String> recipients) {

        public Snapshot {
            Objects.requireNonNull(store, "store");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(cluster, "cluster");
            recipients = recipients == null ? List.of() : List.copyOf(recipients);
        }

        /** One that is not encrypted. */
        public Snapshot(String store, String name, String cluster, long revision) {
            this(store, name, cluster, revision, List.of());
        }
    }

    /**
     * A member of the cluster that ends runs no more, and never starts again. Its machine writes this.
     *
     * @param progress how far its data are; empty if there are none, or they cannot be read
     * @param knows    the voters that its data list
     * @param data     where they were moved to; empty if there are none
     */
    record Fenced(
            int generation,
            MemberId member,
            Optional<Progress> progress,
            Set<MemberId> knows,
            String data)
            implements EntryBody {

        public Fenced {
            Objects.requireNonNull(member, "member");
            Objects.requireNonNull(progress, "progress");
            knows = Set.copyOf(knows);
            Objects.requireNonNull(data, "data");
        }
    }

    /**
     * How far the data of a member are.
     *
     * @param applied   the entry of raft's log up to which its database has them
     * @param commit    up to which it knows that they are committed
     * @param lastTerm  of the last entry of its log
     * @param lastIndex of the last entry of its log
     * @param missing   how many entries with content it knows to be committed, and lacks in its database
     * @param revision  of its database
     */
    record Progress(
            long applied, long commit, long lastTerm, long lastIndex, long missing, long revision) {

        /** Who has more of what is committed has all that the others have of it. */
        public static final Comparator<Progress> ORDER = Comparator.comparingLong(
                        (Progress progress) -> Math.max(progress.applied(), progress.commit()))
                .thenComparingLong(Progress::lastTerm)
                .thenComparingLong(Progress::lastIndex);
    }

    /** The automatic mode ends: no machine does anything by itself any more. An operator signs it. */
    record Retire(String reason) implements EntryBody {

        public Retire {
            Objects.requireNonNull(reason, "reason");
        }
    }
}
