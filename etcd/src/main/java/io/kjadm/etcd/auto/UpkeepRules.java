package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Step.Renew;
import io.kjadm.etcd.auto.Step.Upgrade;
import io.kjadm.etcd.auto.Verdict.No;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a healthy member needs from time to time. Each of these commands restarts this machine's etcd
 * under the lock on the members, so no two of them do so at once.
 */
final class UpkeepRules {

    private static final Duration CLOCK_LIMIT = Duration.ofSeconds(60);

    private UpkeepRules() {}

    /** One member at a time, the leader last; only while all voters are healthy. */
    static Verdict upgrade(AutoFacts facts) {
        Optional<EtcdHealth> healthy = healthy(facts);
        if (healthy.isEmpty()) {
            return new No("this machine has no voter of a healthy cluster");
        }
        EtcdHealth health = healthy.get();
        EtcdVersion target = facts.charter().seed().spec().version();
        List<Member> pending = health.leaderLast(member -> below(health, member, target));
        if (pending.isEmpty()) {
            return new No("no member has an older etcd than " + target);
        }
        String why = "etcd %s is wanted, and %d of %d members have an older one"
                .formatted(target, pending.size(), health.members().size());
        boolean own = facts.charter()
                .seat(facts.self().id())
                .filter(seat -> seat.id().equals(pending.getFirst().id()))
                .isPresent();
        return own
                ? MemberRules.attempt(facts, new Upgrade(target, source(facts)), why)
                : StoreRules.wait(
                        WaitCode.TURN,
                        "%s; %s is the next".formatted(why, pending.getFirst().label()),
                        "");
    }

    private static boolean below(EtcdHealth health, Member member, EtcdVersion target) {
        return health.status(member.id())
                .map(MemberStatus::version)
                .filter(version -> version.compareTo(target) < 0)
                .isPresent();
    }

    /** The flags that say where this machine gets a release from. */
    private static List<String> source(AutoFacts facts) {
        return facts.self().member().flags().stream()
                .filter(flag -> Upgrade.SOURCES.stream().anyMatch(flag::startsWith))
                .toList();
    }

    static Verdict renew(AutoFacts facts) {
        Optional<String> due = facts.local().provided().due();
        if (due.isEmpty()) {
            return new No("no certificate of this machine ends soon");
        }
        if (healthy(facts).isEmpty()) {
            return new No("this machine has no voter of a healthy cluster");
        }
        Optional<Duration> ahead =
                facts.store() instanceof StoreView.Answers(var _, var off) ? off : Optional.empty();
        if (ahead.isEmpty()) {
            return new No("this machine's clock was not compared with the store's yet");
        }
        return ahead.get().abs().compareTo(CLOCK_LIMIT) > 0
                ? StoreRules.wait(
                        WaitCode.CLOCK,
                        "%s, and the store's clock is %d s ahead of this machine's"
                                .formatted(due.get(), ahead.get().toSeconds()),
                        "set the clocks (chrony, ntpd): members do not accept a certificate that begins later than their time")
                : MemberRules.attempt(facts, new Renew(), due.get());
    }

    private static Optional<EtcdHealth> healthy(AutoFacts facts) {
        Charter charter = facts.charter();
        return charter.phase() == Phase.OPEN
                        && charter.seat(facts.self().id()).isPresent()
                        && facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                        && health.allVotersHealthy()
                ? Optional.of(health)
                : Optional.empty();
    }
}
