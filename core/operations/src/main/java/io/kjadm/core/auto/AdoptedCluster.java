package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.host.ForeignMember;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.EntryBody.Adopt;

import java.util.Optional;

/**
 * A cluster of {@code etcd init} and {@code join}, as the automatic mode takes it over: nothing of it is
 * restarted.
 *
 * @param entry  of the log
 * @param oldest version of etcd among its members
 */
public record AdoptedCluster(Adopt entry, EtcdVersion oldest) {

    /**
     * Asks the cluster of this machine's member.
     *
     * @throws UsageException   if there is no member here, or it is set up in another way than
     *                          {@code etcd init} and etcdadm do
     * @throws ClusterException if not all voters of one cluster are healthy, or there is a learner
     */
    public static AdoptedCluster look(SystemdEtcd etcd, EtcdClients clients, Reporter out) {
        if (etcd.record().filter(MemberRecord::finished).isEmpty()) {
            requireUsable(etcd);
        }
        try (EtcdCluster cluster = clients.connect(etcd.state(), Optional.empty(), out)) {
            EtcdHealth health = EtcdHealth.ask(cluster);
            refusal(health).ifPresent(why -> {
                throw new ClusterException(
                        "this cluster cannot be adopted",
                        why,
                        "see 'kjadm etcd status'; run the command again when all members are healthy");
            });
            return new AdoptedCluster(
                    Adopt.of(String.join("", health.clusterIds()), health),
                    health.versions().getFirst());
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "this cluster cannot be adopted",
                    e.text(),
                    "see 'kjadm etcd status'; start etcd on its machines",
                    e);
        }
    }

    private static void requireUsable(SystemdEtcd etcd) {
        ForeignMember foreign = etcd.foreign()
                .orElseThrow(() -> new UsageException(
                        "this machine has no etcd member that is set up as a whole",
                        "the automatic mode manages members of 'kjadm etcd init' and 'kjadm etcd join', and of etcdadm",
                        "run this on a machine of the cluster"));
        foreign.objection().ifPresent(why -> {
            throw new UsageException(
                    "the etcd member of this machine cannot be managed",
                    why,
                    "join the machines to a cluster of 'kjadm etcd init', or set them up as kjadm does");
        });
    }

    private static Optional<String> refusal(EtcdHealth health) {
        if (!health.allVotersHealthy() || !health.isLed()) {
            return Optional.of("%s: %s".formatted(health.quorumText(), health.unhealthyMembers()));
        }
        if (health.clusterIds().size() != 1) {
            return Optional.of(
                    "its members report the cluster IDs %s".formatted(health.clusterIds()));
        }
        return health.learners().stream()
                .findFirst()
                .map(learner -> "%s is a learner".formatted(learner.describe()));
    }
}
