package io.kjadm.core.etcd.version;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an operator wants of etcd's version.
 *
 * @param tag     of the image
 * @param skipped gates that are not to stop it
 * @param reason  why not; empty if none is skipped
 * @param soak    how long all members have to be healthy behind each
 */
public record EtcdOrder(
        Direction direction,
        EtcdVersion target,
        String tag,
        Set<Rule> skipped,
        String reason,
        Duration soak) {

    /** How long members are watched if nothing else is said. */
    public static final Duration SOAK = Duration.ofSeconds(60);

    /** Which rules it goes by. */
    public enum Direction {
        /** {@code etcd upgrade}: to a newer version, or another patch release. */
        UPGRADE("upgrade"),
        /** {@code etcd downgrade apply}: to the minor before, as etcd was told to. */
        DOWNGRADE("downgrade apply");

        private final String command;

        Direction(String command) {
            this.command = command;
        }

        /** The words behind {@code kjadm etcd}. */
        public String command() {
            return command;
        }
    }

    public EtcdOrder {
        skipped = Set.copyOf(skipped);
    }

    /**
     * A version as an operator writes it.
     *
     * @throws UsageException if it is none
     */
    public static EtcdVersion version(String text) {
        try {
            return EtcdVersion.parse(text.startsWith("v") ? text.substring(1) : text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "\"%s\" is not a version of etcd".formatted(text),
                    "",
                    "write it as 3.6.14; 'kjadm etcd status' shows what the members run");
        }
    }

    /**
     * To that version, by an image that is named as those of Kubernetes are.
     *
     * @param tag of the image, if it is another
     */
    public static EtcdOrder to(Direction direction, String version, Optional<String> tag) {
        EtcdVersion target = version(version);
        return new EtcdOrder(direction, target, tag.orElse(target + "-0"), Set.of(), "", SOAK);
    }

    /** The same, watched for so long. */
    public EtcdOrder soaking(Duration time) {
        return new EtcdOrder(direction, target, tag, skipped, reason, time);
    }

    /** The same, two voters being what the operator knows of. */
    public EtcdOrder acceptingTwoVoters() {
        Set<Rule> more = EnumSet.of(Rule.TWO_VOTERS);
        more.addAll(skipped);
        return new EtcdOrder(direction, target, tag, more, reason, soak);
    }

    /**
     * The same as a part of an upgrade of Kubernetes, which restarts a member wherever that is safe
     * and does not ask the operator.
     *
     * @param ignored whether the upgrade ignores a check of that name
     */
    public EtcdOrder asPartOfUpgrade(Predicate<String> ignored) {
        Set<Rule> all = EnumSet.of(Rule.TWO_VOTERS, Rule.LEADER_LAST);
        all.addAll(skipped);
        Stream.of(Rule.values()).filter(rule -> ignored.test(rule.checkName())).forEach(all::add);
        return new EtcdOrder(direction, target, tag, all, reason, soak);
    }

    /**
     * The same without some gates.
     *
     * @param names as they are listed
     * @throws UsageException if one is unknown, or no reason is given
     */
    public EtcdOrder skipping(List<String> names, Optional<String> why) {
        if (names.isEmpty()) {
            return this;
        }
        String reasonGiven = why.map(String::strip)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> new UsageException(
                        "a check is skipped without a reason",
                        "the reason is stored with the journal",
                        "specify it with --reason"));
        Set<Rule> all = EnumSet.noneOf(Rule.class);
        all.addAll(skipped);
        names.forEach(name -> all.add(rule(name)));
        return new EtcdOrder(direction, target, tag, all, reasonGiven, soak);
    }

    private static Rule rule(String name) {
        return Stream.of(Rule.values())
                .filter(rule -> rule.checkName().equalsIgnoreCase(name.strip()))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "there is no check \"%s\"".formatted(name),
                        "",
                        "the checks are "
                                + Stream.of(Rule.values())
                                        .map(Rule::checkName)
                                        .collect(Collectors.joining(", "))));
    }

    /** Whether it stops, whatever the operator says or because nothing was said. */
    boolean isStoppedBy(EtcdUpgradeFinding finding) {
        return finding.severity().stops(skipped.contains(finding.rule()));
    }
}
