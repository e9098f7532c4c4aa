package io.kjadm.etcd.auto;

import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.Later;
import io.kjadm.etcd.auto.Verdict.No;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Decides what a machine does next. All rules are asked in the order of {@link Rule}; the first whose
 * conditions hold decides.
 */
public final class AutoDecider {

    /**
     * What came of asking the rules.
     *
     * @param decision of the first rule that applies
     * @param verdicts of all rules, in their order
     */
    public record Outcome(Rule rule, Decision decision, List<Asked> verdicts) {

        public Outcome {
            verdicts = List.copyOf(verdicts);
        }

        /** The rules whose conditions hold, whether or not it is their turn. */
        public Set<Rule> holding() {
            Set<Rule> holding = EnumSet.noneOf(Rule.class);
            for (Asked asked : verdicts) {
                if (!(asked.verdict() instanceof No)) {
                    holding.add(asked.rule());
                }
            }
            return holding;
        }
    }

    private static final List<Rule> RULES = List.of(Rule.values());

    /** A rule, and what it says. */
    public record Asked(Rule rule, Verdict verdict) {}

    /** Asks all rules. */
    public Outcome decide(AutoFacts facts) {
        List<Asked> asked = new ArrayList<>();
        for (Rule rule : RULES) {
            asked.add(new Asked(rule, verdict(rule, facts)));
        }
        for (Asked one : asked) {
            if (!(one.verdict() instanceof No)) {
                return new Outcome(one.rule(), decision(one, facts), asked);
            }
        }
        throw new IllegalStateException("no rule applies: " + asked);
    }

    private static Decision decision(Asked asked, AutoFacts facts) {
        return switch (asked.verdict()) {
            case Applies(Decision decision) -> decision;
            case Later(Duration after, Decision decision) -> {
                Duration left = after.minus(facts.memory().held(asked.rule()));
                yield left.isPositive()
                        ? new Wait(
                                WaitCode.TURN,
                                "%s; other machines go first, this one follows in %d s"
                                        .formatted(decision.why(), left.toSeconds() + 1),
                                "")
                        : decision;
            }
            case No _ -> throw new IllegalArgumentException(asked.rule() + " does not apply");
        };
    }

    private static Verdict verdict(Rule rule, AutoFacts facts) {
        return switch (rule) {
            case SEED -> StoreRules.seed(facts);
            case RETIRED -> RestoreRules.retired(facts);
            case CLONE -> StartRules.copied(facts);
            case DISK -> StartRules.disk(facts);
            case START -> StartRules.start(facts);
            case UNSAFE -> StoreRules.unsafe(facts);
            case STORE -> StoreRules.store(facts);
            case FENCE -> RestoreRules.fence(facts);
            case RESTORE -> RestoreRules.restore(facts);
            case FENCING -> RestoreRules.fencing(facts);
            case FOUND -> FormRules.found(facts);
            case WITHDRAW -> RepairRules.withdraw(facts);
            case CONTINUE -> MemberRules.goOn(facts);
            case OBSERVED -> RepairRules.observed(facts);
            case PAUSED -> StoreRules.paused(facts);
            case CLAIM -> RepairRules.claim(facts);
            case TAKE_OVER -> MemberRules.takeOver(facts);
            case BUSY -> StoreRules.busy(facts);
            case FORM -> FormRules.form(facts);
            case ABANDON -> FormRules.abandon(facts);
            case MACHINES -> FormRules.machines(facts);
            case READY -> FormRules.ready(facts);
            case UNIT -> StartRules.unit(facts);
            case MEMBERS -> MemberRules.members(facts);
            case CLEAR -> RepairRules.clear(facts);
            case CLIENTS -> ServingRules.clients(facts);
            case HELD -> RepairRules.held(facts);
            case ALARM -> ServingRules.alarm(facts);
            case SHRINK -> RepairRules.shrink(facts);
            case JOIN -> MemberRules.join(facts);
            case REMOVE -> RepairRules.remove(facts);
            case HEALTH -> ServingRules.health(facts);
            case UPGRADE -> UpkeepRules.upgrade(facts);
            case RENEW -> UpkeepRules.renew(facts);
            case IDLE -> ServingRules.idle(facts);
        };
    }
}
