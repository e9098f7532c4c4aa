package io.kjadm.etcd.auto;

import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.No;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Whether anything may be done at all: the store, a pause, and others who are at work. */
final class StoreRules {

    private static final String NO_CLUSTER =
            "check the name of the store, and that it is mounted; only for a new cluster run 'kjadm etcd seed'";

    private StoreRules() {}

    static Verdict seed(AutoFacts facts) {
        return switch (facts.store()) {
            case StoreView.NotSeeded _ ->
                wait(WaitCode.SEED, "the store holds no cluster", NO_CLUSTER);
            case StoreView.OtherToken _ ->
                facts.charter().tail().slot() > 0
                        ? new No("this machine has read the log of its token's cluster")
                        : wait(
                                WaitCode.TOKEN,
                                "the token of this machine belongs to another cluster file than the store's",
                                "copy the token file of a machine of this cluster, or name the right store");
            default ->
                facts.charter().adopting()
                        ? wait(
                                WaitCode.SEED,
                                "the cluster that is to be adopted is not in the log",
                                "run 'kjadm etcd auto adopt' again, where it was interrupted")
                        : new No("the store holds the cluster of this machine's token");
        };
    }

    static Verdict unsafe(AutoFacts facts) {
        return facts.store() instanceof StoreView.Unsafe(String why)
                ? wait(
                        WaitCode.UNSAFE_STORE,
                        why,
                        "if a newer kjadm wrote it, install that one here and restart the daemon; else check that the store is mounted, and find out who changed it; 'kjadm etcd auto repair-log' puts back what was deleted. Members that run are left unchanged")
                : new No("the store holds what this machine has read before");
    }

    static Verdict store(AutoFacts facts) {
        return switch (facts.store()) {
            case StoreView.Silent(String why) -> notAvailable(why);
            // as where the folder of another cluster is mounted
            case StoreView.OtherToken _ ->
                notAvailable("its cluster file is another one than this machine has read before");
            default -> new No("the store responds");
        };
    }

    private static Verdict notAvailable(String why) {
        return wait(
                WaitCode.STORE,
                "the store is not available: " + why,
                "members that run are left unchanged; make the store available");
    }

    static Verdict paused(AutoFacts facts) {
        Optional<Open<Pause>> open = facts.charter().pause();
        Optional<String> person = facts.local().stops().person();
        if (person.isPresent()) {
            return wait(
                    WaitCode.PAUSED,
                    "a person has paused this machine: " + person.get(),
                    "run 'kjadm etcd auto resume' on this machine");
        }
        if (open.isEmpty()) {
            return new No("no pause is open");
        }
        Pause pause = open.get().body();
        boolean over = pause.lasts()
                .filter(lasts -> facts.memory().paused().compareTo(lasts) >= 0)
                .isPresent();
        String reason = pause.reason().isEmpty() ? "" : ": " + pause.reason();
        return over
                ? new Applies(new Append(
                        new Resume(open.get().slot()),
                        "the pause has lasted %s%s"
                                .formatted(text(pause.lasts().orElseThrow()), reason),
                        "kjadm etcd auto resume"))
                : wait(
                        WaitCode.PAUSED,
                        "slot %d pauses the automatic mode%s"
                                .formatted(open.get().slot(), reason),
                        "run 'kjadm etcd auto resume'");
    }

    private static String text(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    static Verdict busy(AutoFacts facts) {
        if (facts.local().stops().busy().isPresent()) {
            return wait(
                    WaitCode.LOCAL,
                    "another kjadm changes this machine: "
                            + facts.local().stops().busy().get(),
                    "");
        }
        Optional<Open<Change>> open = facts.charter().change();
        if (open.isEmpty()) {
            return new No("no change of members is open");
        }
        Change change = open.get().body();
        return wait(
                WaitCode.CHANGE,
                "machine %s %s (slot %d)"
                        .formatted(change.actor(), change.text(), open.get().slot()),
                "");
    }

    static Verdict wait(WaitCode code, String why, String next) {
        return new Applies(new Wait(code, why, next));
    }
}
