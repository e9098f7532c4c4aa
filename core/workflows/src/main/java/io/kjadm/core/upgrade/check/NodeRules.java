package io.kjadm.core.upgrade.check;

import static io.kjadm.core.upgrade.UpgradeRule.CERTIFICATE_EXPIRATION;
import static io.kjadm.core.upgrade.UpgradeRule.FREE_SPACE;
import static io.kjadm.core.upgrade.UpgradeRule.HAND_MADE_CHANGES;
import static io.kjadm.core.upgrade.UpgradeRule.IMAGES;
import static io.kjadm.core.upgrade.UpgradeRule.STATIC_POD_MANIFEST;
import static io.kjadm.core.upgrade.UpgradeRule.STATIC_POD_REFERENCES;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.Severity.WARNING;

import io.kjadm.core.upgrade.ManifestChanges;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.check.NodeState.Certificate;
import io.kjadm.core.upgrade.check.NodeState.Disk;
import io.kjadm.core.upgrade.check.NodeState.Images;
import io.kjadm.core.upgrade.check.NodeState.Manifest;
import io.kjadm.manifests.HandMadeChange;
import io.kjadm.manifests.PatchTarget;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Whether this node has what its upgrade needs, and what the upgrade would undo on it. */
final class NodeRules {

    static final Duration TERM_LEFT = Duration.ofDays(30);

    /** A snapshot, the database that grows meanwhile, and room to defragment it. */
    private static final int DATABASES = 3;

    private static final long MEBI = 1 << 20;

    private NodeRules() {}

    static List<UpgradeFinding> findings(UpgradeFacts facts) {
        NodeState node = facts.node();
        List<UpgradeFinding> findings = new ArrayList<>();
        node.manifests().forEach((target, manifest) -> manifest(target, manifest, findings));
        findings.addAll(certificates(node.certificates(), facts.at()));
        long database = facts.etcd().map(EtcdRules::databaseBytes).orElse(0L);
        node.disks().forEach(disk -> disk(disk, database).ifPresent(findings::add));
        images(node.images()).ifPresent(findings::add);
        return findings;
    }

    private static void manifest(
            PatchTarget target, Manifest manifest, List<UpgradeFinding> findings) {
        switch (manifest) {
            case Manifest.Missing(var path) ->
                findings.add(new UpgradeFinding(
                        STATIC_POD_MANIFEST,
                        SKIPPABLE,
                        "there is no %s".formatted(path),
                        "the upgrade replaces the manifests of static pods that run",
                        "restore it if it was removed; 'kjadm init phase' writes a new one"));
            case Manifest.Unreadable(var path, var why) ->
                findings.add(new UpgradeFinding(
                        STATIC_POD_MANIFEST,
                        SKIPPABLE,
                        "%s cannot be compared with its replacement".formatted(path),
                        why,
                        "correct it, or see with 'kjadm upgrade diff' what is replaced"));
            case Manifest.Compared(ManifestChanges changes, List<String> references) -> {
                String name = target.fileName();
                if (!references.isEmpty()) {
                    findings.add(
                            new UpgradeFinding(
                                    STATIC_POD_REFERENCES,
                                    SKIPPABLE,
                                    "the patches make the static pod of %s refer to API objects: %s"
                                            .formatted(name, String.join(", ", references)),
                                    "the new kubelet does not run a static pod that does",
                                    "use files of this node (hostPath) and plain values in the patches instead"));
                }
                if (!changes.keepable().isEmpty()) {
                    findings.add(
                            new UpgradeFinding(
                                    HAND_MADE_CHANGES,
                                    WARNING,
                                    "the manifest of %s was changed by hand, and the upgrade would undo it: %s"
                                            .formatted(name, listed(changes.keepable())),
                                    "",
                                    "give --adopt-changes to keep it as a patch; if it is from a patch, give --patches"));
                }
                if (!changes.overridden().isEmpty()) {
                    findings.add(new UpgradeFinding(
                            HAND_MADE_CHANGES,
                            WARNING,
                            "the manifest of %s was changed by hand where the upgrade changes it too: %s"
                                    .formatted(name, listed(changes.overridden())),
                            "there it will be as it is generated",
                            "write a patch for it if it has to stay"));
                }
            }
        }
    }

    private static String listed(List<HandMadeChange> changes) {
        return changes.stream().map(HandMadeChange::toString).collect(Collectors.joining("; "));
    }

    private static List<UpgradeFinding> certificates(List<Certificate> all, Instant now) {
        List<UpgradeFinding> findings = new ArrayList<>();
        String unreadable = names(all, certificate -> certificate.end().isEmpty());
        if (!unreadable.isEmpty()) {
            findings.add(new UpgradeFinding(
                    CERTIFICATE_EXPIRATION,
                    WARNING,
                    "some certificates cannot be read: " + unreadable,
                    "their expiration is not known",
                    "see whether these files are what they should be"));
        }
        findings.addAll(ended(all, now));
        String ending = names(
                all,
                certificate -> ends(certificate, now.plus(TERM_LEFT)) && !ends(certificate, now));
        if (!ending.isEmpty()) {
            findings.add(new UpgradeFinding(
                    CERTIFICATE_EXPIRATION,
                    WARNING,
                    "some certificates expire within %d days: %s"
                            .formatted(TERM_LEFT.toDays(), ending),
                    "",
                    "the upgrade renews those of the components that it restarts, but no CA"));
        }
        return findings;
    }

    static List<UpgradeFinding> ended(List<Certificate> all, Instant now) {
        List<UpgradeFinding> findings = new ArrayList<>();
        String cas = names(all, certificate -> certificate.ca() && ends(certificate, now));
        if (!cas.isEmpty()) {
            findings.add(new UpgradeFinding(
                    CERTIFICATE_EXPIRATION,
                    SKIPPABLE,
                    "some certificate authorities have expired: " + cas,
                    "the certificates that they signed are not trusted",
                    "replace them on all nodes first"));
        }
        String others = names(all, certificate -> !certificate.ca() && ends(certificate, now));
        if (!others.isEmpty()) {
            findings.add(new UpgradeFinding(
                    CERTIFICATE_EXPIRATION,
                    SKIPPABLE,
                    "some certificates have expired: " + others,
                    "connections that use them are refused",
                    "renew first: kjadm certs renew all"));
        }
        return findings;
    }

    private static boolean ends(Certificate certificate, Instant time) {
        return certificate.end().filter(end -> !end.isAfter(time)).isPresent();
    }

    private static String names(List<Certificate> all, Predicate<Certificate> which) {
        return all.stream()
                .filter(which)
                .map(certificate -> certificate.name()
                        + certificate.end().map(end -> " (" + end + ")").orElse(""))
                .collect(Collectors.joining(", "));
    }

    private static Optional<UpgradeFinding> disk(Disk disk, long database) {
        long needed = DATABASES * database;
        if (disk.freeBytes().isEmpty()) {
            return Optional.of(new UpgradeFinding(
                    FREE_SPACE,
                    WARNING,
                    "the free space at %s is not known".formatted(disk.directory()),
                    "the system does not report it",
                    "see with df -h"));
        }
        if (disk.freeBytes().getAsLong() >= needed) {
            return Optional.empty();
        }
        return Optional.of(new UpgradeFinding(
                FREE_SPACE,
                SKIPPABLE,
                "the disk of %s has %d MiB left"
                        .formatted(disk.directory(), disk.freeBytes().getAsLong() / MEBI),
                "%d MiB should be free, three times etcd's database, for a snapshot of it and for what is written during the upgrade"
                        .formatted((needed + MEBI - 1) / MEBI),
                "free space there"));
    }

    private static Optional<UpgradeFinding> images(Images images) {
        if (images.unknown().isPresent()) {
            return Optional.of(new UpgradeFinding(
                    IMAGES,
                    WARNING,
                    "the images on this node are not known",
                    images.unknown().get(),
                    "check that the container runtime runs (crictl info)"));
        }
        return images.missing().isEmpty()
                ? Optional.empty()
                : Optional.of(new UpgradeFinding(
                        IMAGES,
                        WARNING,
                        "these images will be pulled: " + String.join(", ", images.missing()),
                        "",
                        "pull them now to save the time: kjadm config images pull"));
    }
}
