package io.kjadm.core.etcd;

import io.kjadm.core.etcd.LogDiagnosis.Kind;

import java.util.List;
import java.util.Optional;

/** Lines of etcd's log that have all these fragments, and what they mean. */
record LogSignature(List<String> fragments, LogDiagnosis diagnosis) {

    /** Special texts stand before the general ones that contain them. */
    private static final List<LogSignature> ALL = table();

    /** What a line means; empty if it is not a known one. */
    static Optional<LogDiagnosis> diagnose(String line) {
        return ALL.stream()
                .filter(known -> known.fragments().stream().allMatch(line::contains))
                .findFirst()
                .map(LogSignature::diagnosis);
    }

    private static LogSignature of(LogDiagnosis diagnosis, String... fragments) {
        return new LogSignature(List.of(fragments), diagnosis);
    }

    private static List<LogSignature> table() {
        var membership = new LogDiagnosis(
                Kind.WRITE_MANIFEST_ANEW,
                "the member list is not the one it was started with",
                "run the join again while no other membership change is in progress");
        var certificates = new LogDiagnosis(
                Kind.STOP,
                "certificates do not match",
                "check the files in the etcd folder of the certificates directory: CA, names, purposes and dates");
        var damaged = new LogDiagnosis(
                Kind.REMOVE_AND_ADD_AGAIN,
                "its data is damaged",
                "remove the member, move its data directory away, and join again");
        var differing = new LogDiagnosis(
                Kind.HUMAN,
                "the members' data differ",
                "change nothing; find out with 'etcdctl endpoint hashkv --cluster' which member is right");
        var arguments = new LogDiagnosis(
                Kind.STOP,
                "it does not accept its command line",
                "correct etcd.local.extraArgs, or the patches for etcd");
        var cluster = new LogDiagnosis(
                Kind.STOP,
                "it belongs to another cluster than a peer, or a peer lost its data",
                "compare the cluster IDs with 'etcdctl endpoint status --cluster'");
        var version = new LogDiagnosis(
                Kind.STOP,
                "its version is not compatible with the cluster's",
                "use an etcd of the cluster's minor version, and check that no downgrade is enabled");
        return List.of(
                of(membership, "member count is unequal"),
                of(membership, "no match found for existing member"),
                of(
                        new LogDiagnosis(
                                Kind.WRITE_MANIFEST_ANEW,
                                "it was started to bootstrap a cluster that already exists",
                                "check that initial-cluster-state in its manifest is 'existing'"),
                        "has already been bootstrapped"),
                of(
                        new LogDiagnosis(
                                Kind.WIPE,
                                "this member was permanently removed from the cluster",
                                "move its data directory away and join again"),
                        "the member has been permanently removed from the cluster"),
                of(
                        new LogDiagnosis(
                                Kind.REMOVE_AND_ADD_AGAIN,
                                "it has lost data that it had acknowledged",
                                "remove the member, move its data directory away, and join again"),
                        "tocommit(",
                        "is out of range"),
                of(cluster, "cluster ID mismatch"),
                of(version, "incompatible with current running cluster"),
                of(version, "invalid downgrade"),
                of(
                        new LogDiagnosis(
                                Kind.TRY_AGAIN,
                                "another program uses its port",
                                "stop the program that listens on it; 'ss -ltnp' shows it"),
                        "bind: address already in use"),
                of(certificates, "tls: "),
                of(certificates, "x509: "),
                of(certificates, "rejected connection"),
                of(
                        new LogDiagnosis(
                                Kind.STOP,
                                "its disk is full",
                                "free space on the disk of the data directory"),
                        "no space left on device"),
                of(
                        new LogDiagnosis(
                                Kind.STOP,
                                "a peer URL is not valid",
                                "check the node's advertise address and the "
                                        + "initial-cluster in its manifest"),
                        "error validating peerURLs"),
                of(
                        new LogDiagnosis(
                                Kind.REMOVE_AND_ADD_AGAIN,
                                "its data directory is incomplete",
                                "remove the member, move its data directory away, and join again"),
                        "failed to find database snapshot file"),
                of(damaged, "max entry size limit exceeded"),
                of(damaged, "walpb: crc mismatch"),
                of(differing, "found data inconsistency with peers"),
                of(differing, "found hash mismatch"),
                of(arguments, "flag provided but not defined"),
                of(arguments, "invalid value ", " for flag "),
                of(
                        new LogDiagnosis(
                                Kind.TRY_AGAIN,
                                "none of the members it was started with answers it",
                                "check that this node reaches their peer URLs"),
                        "could not retrieve cluster information"));
    }
}
