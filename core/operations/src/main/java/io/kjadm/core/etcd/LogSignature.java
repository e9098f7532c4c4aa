package io.kjadm.core.etcd;

import java.util.List;
import java.util.Optional;

/**
 * Lines that etcd leaves behind when it ends, and what they mean for a join.
 *
 * @param fragments of such a line: it has all of them
 * @param meaning   in words
 * @param next      what the operator can do about it
 */
record LogSignature(List<String> fragments, Kind kind, String meaning, String next) {

    /** What may help. */
    enum Kind {
        /** No new start helps until something outside is put right. */
        STOP,
        /** The manifest does not fit the membership: it has to be written again, once. */
        WRITE_MANIFEST_ANEW,
        /** The member was removed for good: its data is of no use. */
        WIPE,
        /** The member's data is lost or damaged: it has to be removed and added again. */
        REMOVE_AND_ADD_AGAIN,
        /** The members' data differ: nobody may go on before a human has looked. */
        HUMAN,
        /** A new start may help, and the kubelet makes one. */
        TRY_AGAIN
    }

    /** Special texts stand before the general ones that contain them. */
    private static final List<LogSignature> ALL = table();

    /** What a line means; empty if it is not a known one. */
    static Optional<LogSignature> diagnose(String line) {
        return ALL.stream()
                .filter(known -> known.fragments().stream().allMatch(line::contains))
                .findFirst();
    }

    boolean is(Kind other) {
        return kind == other;
    }

    private static LogSignature of(Kind kind, String meaning, String next, String... fragments) {
        return new LogSignature(List.of(fragments), kind, meaning, next);
    }

    /** Another line that means the same. */
    private LogSignature or(String... others) {
        return new LogSignature(List.of(others), kind, meaning, next);
    }

    private static List<LogSignature> table() {
        var membership = of(
                Kind.WRITE_MANIFEST_ANEW,
                "the member list is not the one it was started with",
                "run the join again while no other membership change is in progress",
                "member count is unequal");
        var certificates = of(
                Kind.STOP,
                "certificates do not match",
                "check the files in the etcd directory of the certificates directory: CA, names, purposes and dates",
                "tls: ");
        var damaged = of(
                Kind.REMOVE_AND_ADD_AGAIN,
                "its data is damaged",
                "remove the member, move its data directory away, and join again",
                "max entry size limit exceeded");
        var differing = of(
                Kind.HUMAN,
                "the members' data differ",
                "change nothing; find out with 'etcdctl endpoint hashkv --cluster' which member is right",
                "found data inconsistency with peers");
        var arguments = of(
                Kind.STOP,
                "it does not accept its command line",
                "correct etcd.local.extraArgs, or the patches for etcd",
                "flag provided but not defined");
        var cluster = of(
                Kind.STOP,
                "it belongs to another cluster than a peer, or a peer lost its data",
                "compare the cluster IDs with 'etcdctl endpoint status --cluster'",
                "cluster ID mismatch");
        var version = of(
                Kind.STOP,
                "its version is not compatible with the cluster's",
                "use an etcd of the cluster's minor version, and check that no downgrade is enabled",
                "incompatible with current running cluster");
        return List.of(
                membership,
                membership.or("no match found for existing member"),
                of(
                        Kind.WRITE_MANIFEST_ANEW,
                        "it was started to bootstrap a cluster that already exists",
                        "check that initial-cluster-state in its manifest is 'existing'",
                        "has already been bootstrapped"),
                of(
                        Kind.WIPE,
                        "this member was permanently removed from the cluster",
                        "move its data directory away and join again",
                        "the member has been permanently removed from the cluster"),
                of(
                        Kind.REMOVE_AND_ADD_AGAIN,
                        "it has lost data that it had acknowledged",
                        "remove the member, move its data directory away, and join again",
                        "tocommit(",
                        "is out of range"),
                cluster,
                version,
                version.or("invalid downgrade"),
                of(
                        Kind.TRY_AGAIN,
                        "another program uses its port",
                        "stop the program that listens on it; 'ss -ltnp' shows it",
                        "bind: address already in use"),
                certificates,
                certificates.or("x509: "),
                certificates.or("rejected connection"),
                of(
                        Kind.STOP,
                        "its disk is full",
                        "free space on the disk of the data directory",
                        "no space left on device"),
                of(
                        Kind.STOP,
                        "a peer URL is not valid",
                        "check the node's advertise address and the "
                                + "initial-cluster in its manifest",
                        "error validating peerURLs"),
                of(
                        Kind.REMOVE_AND_ADD_AGAIN,
                        "its data directory is incomplete",
                        "remove the member, move its data directory away, and join again",
                        "failed to find database snapshot file"),
                damaged,
                damaged.or("walpb: crc mismatch"),
                differing,
                differing.or("found hash mismatch"),
                arguments,
                arguments.or("invalid value ", " for flag "),
                of(
                        Kind.TRY_AGAIN,
                        "none of the members it was started with answers it",
                        "check that this node reaches their peer URLs",
                        "could not retrieve cluster information"));
    }
}
