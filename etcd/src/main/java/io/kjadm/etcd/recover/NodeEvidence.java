package io.kjadm.etcd.recover;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one node tells: of its own disk, and of the members as far as they answer it. Made on the
 * node, and carried to the one where it is decided.
 *
 * @param look    of which it is
 * @param own     the member that its manifest runs, if it has one
 * @param answers of every member that somebody listed
 * @param strangers who answered where one of those should, of another cluster or under another ID
 * @param alarms  that members told of
 * @param silent  endpoints that did not answer the question for the members, with the reason
 */
public record NodeEvidence(
        Look look,
        Optional<OwnMember> own,
        List<MemberAnswer> answers,
        List<MemberAnswer> strangers,
        List<Alarm> alarms,
        List<String> silent) {

    /**
     * Where and when it was looked.
     *
     * @param node  name of the node
     * @param taken when
     * @param boot  the kernel's name of the boot; empty text if not known
     */
    public record Look(String node, Instant taken, String boot) {}

    /** The name of the node. */
    public String node() {
        return look.node;
    }

    /** When it was looked. */
    public Instant taken() {
        return look.taken;
    }

    public NodeEvidence {
        answers = List.copyOf(answers);
        strangers = List.copyOf(strangers);
        alarms = List.copyOf(alarms);
        silent = List.copyOf(silent);
    }

    /**
     * The member of a node.
     *
     * @param startedWith the members that its manifest starts it with; they may have changed since
     */
    public record OwnMember(
            String name, Set<URI> peerUrls, List<StartedWith> startedWith, DiskEvidence disk) {
        public OwnMember {
            peerUrls = Set.copyOf(peerUrls);
            startedWith = List.copyOf(startedWith);
        }

        /** Whose data the disk holds. */
        public Optional<MemberId> dataOf() {
            return disk instanceof DiskEvidence.Held held
                            && held.log() instanceof LogEvidence.Readable log
                    ? Optional.of(log.memberId())
                    : Optional.empty();
        }
    }

    /** An entry of {@code --initial-cluster}. */
    public record StartedWith(String name, URI peerUrl) {}
}
