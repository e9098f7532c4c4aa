package io.kjadm.core.etcd.check;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.check.ClusterFacts;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/**
 * Looks at all members of a cluster at the same time, from one of their clients' side. Changes
 * nothing. It takes as long as the slowest answer, see {@link ClusterObserver}.
 */
public final class EtcdCheckup {

    private final Function<EtcdAccess, EtcdProbe> probes;
    private final Waiter waiter;

    /** @param waiter waits for real even in a dry run */
    public EtcdCheckup(Function<EtcdAccess, EtcdProbe> probes, Waiter waiter) {
        this.probes = probes;
        this.waiter = waiter;
    }

    /**
     * The member list, without asking the members for more.
     *
     * @throws EtcdCallException if no member answers
     */
    public List<Member> members(EtcdAccess access) {
        try (EtcdProbe probe = probes.apply(access)) {
            return probe.members();
        }
    }

    /**
     * The cluster as it is seen.
     *
     * @throws EtcdCallException if no member answers, so that not even the member list is known
     */
    public ClusterFacts look(EtcdAccess access) {
        ExecutorService threads = SocketThreads.perTask();
        try (EtcdProbe probe = probes.apply(access)) {
            return new ClusterObserver(probe, waiter, threads, listed -> Map.of()).settled();
        } finally {
            threads.shutdownNow();
        }
    }
}
