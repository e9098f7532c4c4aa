package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.core.etcd.upkeep.DefragRules.Choice;
import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.core.etcd.upkeep.Sizes;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** The members' databases before and after a defragmentation. */
public final class DefragListing {

    private DefragListing() {}

    /** What is to happen to each of them, in that order. */
    public static String plan(List<Choice> choices) {
        TextTable table =
                new TextTable(List.of("NAME", "ROLE", "DB SIZE", "FREE", "DEFRAGMENT", "REASON"));
        for (Choice choice : choices) {
            OptionalLong free = choice.database().freeBytes();
            table.row(List.of(
                    choice.member().label(),
                    choice.leads() ? "leader" : "voter",
                    Sizes.text(choice.database().sizeBytes()),
                    free.isPresent() ? Sizes.text(free.getAsLong()) : "?",
                    choice.chosen() ? "yes" : "no",
                    choice.reason()));
        }
        return table.text();
    }

    /** What was done. */
    public static String results(List<Result> results) {
        TextTable table = new TextTable(List.of("NAME", "BEFORE", "AFTER", "TOOK"));
        for (Result result : results) {
            table.row(List.of(
                    result.member().label(),
                    Sizes.text(result.bytesBefore()),
                    Sizes.text(result.bytesAfter()),
                    String.format(Locale.ROOT, "%.1f s", result.took().toMillis() / 1000.0)));
        }
        return table.text();
    }
}
