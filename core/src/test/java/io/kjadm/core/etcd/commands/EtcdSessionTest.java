package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.simulation.Forwarding;
import io.kjadm.etcd.EtcdCluster;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a look leaves open, and whom it asks. */
class EtcdSessionTest {

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final List<Connection> connections = new ArrayList<>();

    @Test
    void theConnectionIsClosedAtTheEnd() {
        try (EtcdSession session = open()) {
            session.survey();
            assertEquals(List.of(true), stillOpen());
        }
        assertEquals(List.of(false), stillOpen());
    }

    @Test
    void theConnectionToSilentEndpointsIsClosedBeforeOthersAreAsked() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        lab.hinted.add(URI.create("https://cp-3:2379"));
        try (EtcdSession session = open()) {
            session.survey();
            assertEquals(List.of(false, true), stillOpen());
        }
        assertEquals(List.of(false, false), stillOpen());
    }

    @Test
    void whoChangesTheMembersIsAskedOnlyWhereThereIsALearner() {
        lab.lock = lab.held("cp-4/run", Duration.ofMinutes(3), true);
        assertEquals(new MembershipLeaseStatus.Free(), open().status().lock());
        lab.learner("cp-4");
        assertEquals(lab.lock, open().status().lock());
    }

    private EtcdSession open() {
        return lab.open(EtcdTarget.of(List.of(), Optional.empty()), access -> {
            connections.add(new Connection(lab.etcd));
            return connections.getLast();
        });
    }

    private List<Boolean> stillOpen() {
        return connections.stream().map(connection -> connection.open).toList();
    }

    private static final class Connection extends Forwarding {

        private boolean open = true;

        Connection(EtcdCluster real) {
            super(real);
        }

        @Override
        public void close() {
            open = false;
            super.close();
        }
    }
}
