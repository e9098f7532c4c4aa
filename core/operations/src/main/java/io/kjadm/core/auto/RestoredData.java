package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.restore.ServedData;
import io.kjadm.core.restore.ServedData.Answer;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Ending;
import io.kjadm.etcd.auto.EntryBody.Form;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether the first member of a generation serves the data of the one before: asked before another
 * member can join, and so before clients are let in.
 */
public final class RestoredData {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final SystemdEtcd etcd;
    private final EtcdClients clients;
    private final Waiter waiter;
    private final Reporter out;

    public RestoredData(SystemdEtcd etcd, EtcdClients clients, Waiter waiter, Reporter out) {
        this.etcd = etcd;
        this.clients = clients;
        this.waiter = waiter;
        this.out = out;
    }

    /**
     * Asks the member of this machine, which has founded the generation.
     *
     * @throws ClusterException if it serves something else
     */
    public void require(Charter charter) {
        Optional<Ending> ending = charter.ending();
        if (ending.isEmpty()) {
            return;
        }
        Form form = charter.form().orElseThrow();
        LocalEtcdState node = etcd.state();
        OptionalLong revision =
                ending.get().revision().map(OptionalLong::of).orElseGet(OptionalLong::empty);
        try (EtcdCluster cluster = clients.connect(node, Optional.empty(), out)) {
            ServedData served = new ServedData(
                    cluster,
                    node.ownClientUrls(),
                    MemberIds.ofFounder(form.token(), form.seat().peerUrls()),
                    revision);
            Await await = new Await(
                    "auto",
                    "this machine's etcd to serve the restored data",
                    LIMIT,
                    INTERVAL,
                    etcd.logHint());
            Answer answer = waiter.until(await, served::ask).orElseThrow(await::neededAnswer);
            if (answer instanceof Answer.Other other) {
                throw other.problem();
            }
            out.step("auto", "etcd of this machine serves the restored data: " + answer);
        }
    }
}
