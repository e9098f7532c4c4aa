package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What this machine's etcd serves, compared with what was restored. The member itself is asked, on
 * this machine: a list of members tells only that some etcd of that name runs.
 *
 * @param cluster  to ask
 * @param urls     where the member serves clients
 * @param expected IDs of the restored member
 * @param revision the lowest that it may serve, if that is known
 */
public record ServedData(
        EtcdCluster cluster, Collection<URI> urls, MemberIds expected, OptionalLong revision) {

    private static final String NO_LEADER = "it has no leader yet";

    /** What the member serves. */
    public sealed interface Answer {

        /** The restored data, now at that revision. */
        record Restored(long revision) implements Answer {
            @Override
            public String toString() {
                return "revision " + revision;
            }
        }

        /** Something else. */
        record Other(URI url, String why) implements Answer {

            public ClusterException problem() {
                return new ClusterException(
                        "the etcd at %s does not serve the restored data".formatted(url),
                        why,
                        "etcd was stopped again; find out what else starts an etcd on this machine, then run the same command again, or undo the restore with --undo");
            }
        }
    }

    /** Asks once. */
    public Attempt<Answer> ask() {
        return ask(this::answer);
    }

    /** Whether the member, which has served them before, does so now; others may have joined it. */
    public Attempt<Boolean> askAgain() {
        return ask(url -> {
            MemberStatus status = cluster.status(url);
            if (!status.ids().equals(expected)) {
                return Attempt.notYet(another(status));
            }
            return status.leaderId().isNone() && cluster.membersKnownTo(url).size() == 1
                    ? Attempt.notYet(NO_LEADER)
                    : Attempt.done(true);
        });
    }

    private <T> Attempt<T> ask(Function<URI, Attempt<T>> question) {
        String answer = "it has no client URL";
        for (URI url : urls) {
            try {
                return question.apply(url);
            } catch (EtcdCallException e) {
                answer = e.text();
            }
        }
        return Attempt.notYet(answer);
    }

    private String another(MemberStatus status) {
        return "%s answers; the restored one is %s".formatted(status.ids(), expected);
    }

    private Attempt<Answer> answer(URI url) {
        MemberStatus status = cluster.status(url);
        if (!status.ids().equals(expected)) {
            return other(url, another(status));
        }
        if (status.leaderId().isNone()) {
            return Attempt.notYet(NO_LEADER);
        }
        List<Member> members = cluster.membersKnownTo(url);
        if (members.size() != 1) {
            return Attempt.notYet("it lists " + Member.describeAll(members));
        }
        // linearizable: a leader has answered
        long served = cluster.revision(url);
        if (revision.isPresent() && served < revision.getAsLong()) {
            return other(
                    url,
                    "it serves revision %d; the restored data have %d or more"
                            .formatted(served, revision.getAsLong()));
        }
        return Attempt.done(new Answer.Restored(served));
    }

    private static Attempt<Answer> other(URI url, String why) {
        return Attempt.done(new Answer.Other(url, why));
    }
}
