package io.kjadm.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * What came of a linearizable read through one member.
 *
 * @param revision the newest of the keys; empty if the member did not serve
 * @param took how long it took to answer, or to fail
 * @param problem why it did not serve, in etcd's or the transport's words; empty text if it did
 */
public record ReadAnswer(OptionalLong revision, Duration took, String problem) {

    /** Reads through the member; a failure is an answer too. */
    public static ReadAnswer ask(EtcdCluster cluster, Member member) {
        long began = System.nanoTime();
        String problem = "it has not published its client URLs yet";
        for (URI url : member.clientUrls()) {
            try {
                MemberId answering = cluster.status(url).memberId();
                if (answering.equals(member.id())) {
                    // finding it is no part of what a client would wait for
                    began = System.nanoTime();
                    return new ReadAnswer(OptionalLong.of(cluster.revision(url)), since(began), "");
                }
                problem = "member %s answers at %s".formatted(answering, url);
            } catch (EtcdCallException e) {
                problem = e.code() == RpcCode.DEADLINE_EXCEEDED
                        ? "it did not answer a read in time"
                        : e.reason();
            }
        }
        return new ReadAnswer(OptionalLong.empty(), since(began), problem);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Whether the member serves. */
    public boolean serves() {
        return revision.isPresent();
    }
}
