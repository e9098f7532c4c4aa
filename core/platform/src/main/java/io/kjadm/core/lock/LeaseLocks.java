package io.kjadm.core.lock;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdQueue;

import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Makes the membership lock of this run. */
public final class LeaseLocks {

    private final ProcessIdentity run;
    private final Waiter waiter;
    private final Scheduler background;
    private final RandomGenerator random;

    /**
     * @param files      of the machine, whose processes they list
     * @param background renews what is held
     * @param random     spreads the looks of several waiting nodes
     */
    public LeaseLocks(
            HostFiles files, Waiter waiter, Scheduler background, RandomGenerator random) {
        this.run = new ProcessIdentity(files, ProcessHandle.current().pid());
        this.waiter = waiter;
        this.background = background;
        this.random = random;
    }

    /**
     * The lock, at that API server.
     *
     * @param api  the client, asked for when the lock is taken; a
     *             {@link io.kjadm.core.error.KjadmException} if there can be none
     * @param node name of this node
     */
    public MembershipLock of(Supplier<KubeApi> api, String node, Reporter out) {
        return new LeaseLock(api, site(node, out), random);
    }

    /**
     * The lock of an etcd that has no API server: a queue in etcd itself.
     *
     * @param queue the client, asked for when the lock is taken; a
     *              {@link io.kjadm.core.error.KjadmException} if there can be none
     * @param node  name of this machine
     */
    public MembershipLock inEtcd(Supplier<EtcdQueue> queue, String node, Reporter out) {
        return new QueueLock(queue, site(node, out));
    }

    private LockSite site(String node, Reporter out) {
        return new LockSite(new LockHolder(node, run.name()), run::over, waiter, background, out);
    }
}
