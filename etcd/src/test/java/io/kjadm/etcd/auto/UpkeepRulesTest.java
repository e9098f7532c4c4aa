package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.AutoFacts.Youth;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

class UpkeepRulesTest {

    private static final EtcdVersion OLD = new EtcdVersion(3, 6, 8);

    /** Some members have an older etcd than the log wants. */
    private static AutoScene with(MachineId self, MachineId... old) {
        return AutoScene.ofVoter(self, complete())
                .provided(true, true)
                .etcd(new EtcdView.Answers(
                        AutoScene.health(
                                AutoScene.voters(complete()), List.of(), OLD, List.of(old)),
                        WrittenLog.CLUSTER));
    }

    private static Step.Upgrade upgrade() {
        return new Step.Upgrade(WrittenLog.VERSION, List.of());
    }

    // ---- upgrade

    @Test
    void membersAreUpgradedOneByOneAndTheLeaderLast() {
        with(B, A, B, C).acts(Rule.UPGRADE, upgrade());
        with(C, A, B, C).waits(Rule.UPGRADE, WaitCode.TURN);
        with(A, A, B, C).waits(Rule.UPGRADE, WaitCode.TURN);
        with(C, A, C).acts(Rule.UPGRADE, upgrade());
        with(A, A).acts(Rule.UPGRADE, upgrade());
        with(A).passes(Rule.UPGRADE);
    }

    @Test
    void noMemberIsUpgradedWhileAnotherOneIsDown() {
        with(B, A, B)
                .etcd(new EtcdView.Answers(
                        AutoScene.health(
                                AutoScene.voters(complete()), List.of(C), OLD, List.of(A, B)),
                        WrittenLog.CLUSTER))
                .passes(Rule.UPGRADE);
    }

    @Test
    void onlyAnOpenClusterIsUpgraded() {
        AutoScene.ofVoter(A, forming())
                .etcd(new EtcdView.Answers(
                        AutoScene.health(AutoScene.voters(forming()), List.of(), OLD, List.of(A)),
                        WrittenLog.CLUSTER))
                .passes(Rule.UPGRADE);
        AutoScene.of(D, complete())
                .etcd(new EtcdView.Answers(
                        AutoScene.health(AutoScene.voters(complete()), List.of(), OLD, List.of(B)),
                        WrittenLog.CLUSTER))
                .passes(Rule.UPGRADE);
    }

    // ---- renew

    @Test
    void aCertificateThatEndsSoonIsRenewed() {
        with(A).due("peer.crt ends soon").acts(Rule.RENEW, new Step.Renew());
        with(A).passes(Rule.RENEW);
    }

    @Test
    void nothingIsRenewedWhileAMemberIsDown() {
        with(A).due("peer.crt ends soon")
                .etcd(new EtcdView.Answers(
                        AutoScene.health(AutoScene.voters(complete()), List.of(C)),
                        WrittenLog.CLUSTER))
                .passes(Rule.RENEW);
    }

    @Test
    void aClockThatIsWrongMakesNoCertificate() {
        for (long off : List.of(61L, -61L)) {
            with(A).due("peer.crt ends soon")
                    .store(new StoreView.Answers(
                            new Youth(Duration.ZERO, Duration.ZERO, 0),
                            Optional.of(Duration.ofSeconds(off))))
                    .waits(Rule.RENEW, WaitCode.CLOCK);
        }
    }

    /** A daemon that has just started. */
    @Test
    void aClockThatWasNotComparedMakesNoCertificate() {
        with(A).due("peer.crt ends soon")
                .store(new StoreView.Answers(
                        new Youth(Duration.ZERO, Duration.ZERO, 0), Optional.empty()))
                .passes(Rule.RENEW);
    }
}
