package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.EtcdFinder;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.JoinVerdict;
import java.time.Duration;

/** {@code check-etcd}: whether the cluster's etcd is fit for one more member, before this node is changed further. */
final class CheckEtcdPhase implements Phase<JoinRun> {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final KubeClients clients;
    private final EtcdFinder finder;
    private final EtcdConnector connector;
    private final Waiter waiter;

    CheckEtcdPhase(KubeClients clients, EtcdFinder finder, EtcdConnector connector, Waiter waiter) {
        this.clients = clients;
        this.finder = finder;
        this.connector = connector;
        this.waiter = waiter;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("check-etcd", "Check that the etcd cluster is healthy", JoinFlagNames.NONE).asHidden();
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        if (!(node.cluster().etcd() instanceof LocalEtcd)) {
            out.step("check-etcd", "Skipping etcd check in external mode");
            return run;
        }
        out.step("check-etcd", "Checking that the etcd cluster is healthy");
        try (EtcdCluster cluster = connector.connect(finder.find(
                clients.of(node.paths().adminConf()), node.paths(), node.timeouts().kubernetesApiCall()))) {
            await(cluster, node.timeouts().etcdApiCall(), out);
        }
        return run;
    }

    private void await(EtcdCluster cluster, Duration limit, Reporter out) {
        Await await = new Await("check-etcd", "the etcd cluster to be healthy", limit, INTERVAL,
                "bring all etcd members back, then run the join again");
        waiter.until(await, () -> {
            try {
                return switch (EtcdHealth.ask(cluster).joinVerdict()) {
                    case JoinVerdict.Ready ready -> {
                        ready.warnings().forEach(out::detail);
                        yield Attempt.done(ready);
                    }
                    case JoinVerdict.NotReady(String what, String why, String next) ->
                            Attempt.notYet(what + ": " + why + "; " + next);
                };
            } catch (EtcdCallException e) {
                return Attempt.notYet(e.text());
            }
        });
    }
}
