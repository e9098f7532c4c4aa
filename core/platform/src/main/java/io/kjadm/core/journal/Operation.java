package io.kjadm.core.journal;

import io.kjadm.etcd.join.JoinState;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** An operation that can be interrupted and is then continued by the same command. */
public enum Operation {
    /** A cluster that begins on this machine. */
    INIT("initialization of etcd"),
    /** A join of this machine. */
    JOIN("join of this machine", JoinState.class),
    /** A reset of this machine. */
    RESET("reset of this machine", ResetState.class),
    /** A replacement of an etcd member, run from this machine. */
    REPLACE("replacement of an etcd member", ReplaceStage.class),
    /** An upgrade of this node to another Kubernetes version. */
    UPGRADE("upgrade of this node", UpgradeStep.class),
    /** A change of the version of this machine's etcd. */
    ETCD_VERSION("change of etcd's version", UpgradeStep.class),
    /** A restore of a snapshot. */
    RESTORE("restore of a snapshot", RestoreStep.class),
    /** A recovery from the data of this machine. */
    RECOVER("recovery from this machine's data", RestoreStep.class),
    /** A rotation of etcd's CA. */
    CA_ROTATION("rotation of etcd's CA", CaRotationStage.class);

    private final String title;
    private final List<? extends Enum<?>> steps;

    Operation(String title) {
        this.title = title;
        this.steps = List.of();
    }

    <S extends Enum<S>> Operation(String title, Class<S> steps) {
        this.title = title;
        this.steps = List.of(steps.getEnumConstants());
    }

    /** What messages call it, without an article. */
    public String title() {
        return title;
    }

    /** How one is finished, or undone. */
    String next() {
        return switch (this) {
            case INIT -> "run the same 'kjadm etcd init' again, or 'kjadm etcd reset'";
            case JOIN ->
                "run the same join again, or reset this machine ('kjadm reset', 'kjadm etcd reset')";
            case RESET -> "run the same reset again";
            case REPLACE -> "run the same 'kjadm etcd member replace' again";
            case UPGRADE ->
                "run the same 'kjadm upgrade' again: it finishes the upgrade, or rolls it back; if this node was reset since, 'kjadm reset' removes the journal";
            case ETCD_VERSION ->
                "run the same 'kjadm etcd upgrade' or 'kjadm etcd downgrade' again: it finishes the change, or rolls it back";
            case RESTORE ->
                "run the same 'kjadm etcd snapshot restore' again, or undo it with --undo; if this machine was reset since, a reset removes the journal";
            case RECOVER -> "run the same 'kjadm etcd recover' again, or undo it with --undo";
            case CA_ROTATION -> "run 'kjadm etcd certs rotate-ca' again";
        };
    }

    /** With its article. */
    String aTitle() {
        return ("aeiou".contains(title.substring(0, 1)) ? "an " : "a ") + title;
    }

    /** The steps that journals of all operations announce, by name. */
    static Stream<String> allSteps() {
        return Arrays.stream(values())
                .flatMap(operation -> operation.steps.stream())
                .map(Enum::name)
                .distinct();
    }
}
