package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.listing.CertsListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.CertsNodes;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.certs.CertsNode;
import io.kjadm.core.certs.ExpirationCheck;
import io.kjadm.core.certs.ManagedCertificate;
import io.kjadm.core.certs.RotatedControlPlaneNode;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.etcd.ca.CertificateKeyFlags;
import io.kjadm.core.etcd.ca.EtcdCaRotation;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.JetcdRotationCluster;
import io.kjadm.core.etcd.ca.RotatedNode;
import io.kjadm.core.etcd.ca.RotationAcceptance;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdCertificateRenewal;
import io.kjadm.etcd.JetcdValues;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm etcd certs}: looks after the certificates of etcd, and its CA. */
record EtcdCertsCommand(Console console, Function<Console, Reporter> reporters) {

    /** Others restart etcd and their API server for the same, one after the other. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    CommandLine build() {
        return CommandBuilder.group(
                        "certs",
                        "Check and renew etcd certificates, and rotate the etcd CA",
                        console)
                .subcommand(CommandBuilder.running(
                                "check",
                                "Check the expiration of the etcd certificates on this node",
                                (flags, words) -> check(flags))
                        .flags(FlagOption.all(OutputFlags.ALL, Flag.CONFIG))
                        .example("Check the certificates", "")
                        .example("Print the result as JSON", "-o json")
                        .build())
                .subcommand(CommandBuilder.running(
                                "renew",
                                "Renew the etcd certificates on this node, and restart etcd and the API server to use them",
                                (flags, words) -> renew(flags))
                        .flags(FlagOption.all(Flag.CONFIG, Flag.DRY_RUN))
                        .example("Renew the certificates", "")
                        .example("Show what would be done", "--dry-run")
                        .build())
                .subcommand(CommandBuilder.running(
                                "rotate-ca",
                                "Rotate the etcd CA without downtime; run it on every machine with a member",
                                (flags, words) -> rotate(flags))
                        .flags(
                                FlagOption.explained(
                                        FlagOption.all(
                                                Flag.CERTIFICATE_KEY,
                                                Flag.CERTIFICATE_KEY_FILE,
                                                Flag.CONFIG,
                                                Flag.DRY_RUN,
                                                Flag.NO_CERTIFICATE_KEY,
                                                Flag.TIMEOUT,
                                                Flag.YES),
                                        new FlagOption(
                                                Flag.CERTIFICATE_KEY,
                                                "Key used to encrypt the new CA's key, as printed by the first node. Other users of this machine can see it: prefer $KJADM_CERTIFICATE_KEY or --certificate-key-file"),
                                        new FlagOption(
                                                Flag.TIMEOUT,
                                                "How long to wait for the other nodes, where the command must run too (default 0s: name the nodes that are next, and exit)"),
                                        new FlagOption(
                                                Flag.YES,
                                                "Do not ask for confirmation; with a standalone etcd this confirms that all clients are ready for the next stage")))
                        .example("Begin the rotation, on the first machine", "")
                        .example(
                                "Continue on the other machines",
                                "--certificate-key-file certificate.key")
                        .example("Show the next step", "--dry-run")
                        .build())
                .build();
    }

    private void check(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writer(flags);
        Reporter out = reporters.apply(writer.isPresent() ? console.withoutResults() : console);
        try (Composition composition = new Composition(out, false)) {
            CertsListing listing = new CertsListing(
                    composition.etcdHost() instanceof SystemdEtcd etcd
                            ? own(flags, composition, etcd, out).check()
                            : new ExpirationCheck(composition.ports().files(), out)
                                    .look(find("check", flags, composition, out), List.of())
                                    .ofEtcd());
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(() -> "\n" + listing.tables()));
        }
    }

    private void renew(CommandFlags flags) {
        Reporter out = reporters.apply(console);
        try (Composition composition =
                new Composition(out, flags.isOn(Flag.DRY_RUN)).changing(ChangingCommand.RENEWING)) {
            if (composition.etcdHost() instanceof SystemdEtcd etcd) {
                own(flags, composition, etcd, out)
                        .renew(
                                KeyPairPool.started(
                                        KeyAlgorithm.DEFAULT, EtcdCertificateRenewal.keys()),
                                new StandaloneEtcd(composition).lock());
                return;
            }
            CertsNode node = find("renew", flags, composition, out);
            List<ManagedCertificate> renewed =
                    CertsNodes.renew(composition, node, ManagedCertificate.ofEtcd());
            CertsNodes.restart(flags, composition, node, out, EtcdRestart.Purpose.RENEWAL)
                    .restart(node, renewed);
        }
    }

    private void rotate(CommandFlags flags) {
        Duration wait = flags.duration(Flag.TIMEOUT).orElse(Duration.ZERO);
        Reporter out = reporters.apply(console);
        boolean dryRun = flags.isOn(Flag.DRY_RUN);
        try (Composition composition =
                new Composition(out, dryRun).changing(ChangingCommand.ROTATING)) {
            EtcdCaRotation rotation = rotation(flags, composition, out);
            if (dryRun) {
                out.step("dryrun", "Would " + rotation.next());
                return;
            }
            rotation.run(wait, ConsoleConfirmation.unless(flags.isOn(Flag.YES), console));
        }
    }

    private static CaRotationKey key(CommandFlags flags, Composition composition) {
        if (!flags.isOn(Flag.NO_CERTIFICATE_KEY)) {
            return new CaRotationKey.Carried(CertificateKeyFlags.read(
                    flags,
                    composition.ports().files(),
                    System.getenv(),
                    "kjadm etcd certs rotate-ca"));
        }
        if (flags.isSet(Flag.CERTIFICATE_KEY) || flags.isSet(Flag.CERTIFICATE_KEY_FILE)) {
            throw new UsageException(
                    "--no-certificate-key cannot be used with a certificate key",
                    "it encrypts the new CA's key with the old CA's key alone",
                    "leave out one of them, on all nodes the same");
        }
        return new CaRotationKey.OldCaAlone();
    }

    private static EtcdCaRotation rotation(
            CommandFlags flags, Composition composition, Reporter out) {
        if (composition.etcdHost() instanceof SystemdEtcd etcd) {
            KeyPairPool keys =
                    KeyPairPool.started(KeyAlgorithm.DEFAULT, 1 + EtcdCertificateRenewal.keys());
            LocalEtcdState local = etcd.state();
            RotatedNode machine = own(flags, composition, etcd, out)
                    .rotated(keys, new StandaloneEtcd(composition).lock());
            return rotation(flags, composition, keys, machine, local, local.certificatesDir());
        }
        CertsNode node = find("rotate-ca", flags, composition, out);
        HostFiles files = composition.ports().files();
        KeyPairPool keys = KeyPairPool.started(
                node.algorithm(), 1 + ManagedCertificate.ofEtcd().size());
        return rotation(
                flags,
                composition,
                keys,
                new RotatedControlPlaneNode(
                        node,
                        files,
                        keys,
                        CertsNodes.restart(
                                flags,
                                composition,
                                node,
                                out,
                                EtcdRestart.Purpose.caRotation(PATIENCE)),
                        out),
                LocalEtcdState.look(files, node.paths()),
                node.paths().certificatesDir());
    }

    private static EtcdCaRotation rotation(
            CommandFlags flags,
            Composition composition,
            KeyPairPool keys,
            RotatedNode node,
            LocalEtcdState local,
            Path certificatesDir) {
        Ports ports = composition.ports();
        return new EtcdCaRotation(
                ports.files(),
                keys,
                node,
                key(flags, composition),
                new JetcdRotationCluster(
                        composition.cluster().etcd(), local, certificatesDir, JetcdValues::open),
                ports.waiter(),
                composition.out(),
                Failpoints.ofProcess(),
                RotationAcceptance.Limits.STANDARD);
    }

    /** This machine's etcd of its own. */
    private static EtcdCertificateRenewal own(
            CommandFlags flags, Composition composition, SystemdEtcd etcd, Reporter out) {
        ForeignFlags.refuse(
                flags,
                List.of(Flag.CERT_DIR, Flag.CONFIG, Flag.ENDPOINTS, Flag.KUBECONFIG),
                "this command manages the certificates of this machine's etcd, which its environment file names",
                "omit the flag, and run the command on each machine");
        return new EtcdCertificateRenewal(
                etcd, composition.cluster().etcd(), new TlsCertificateProbe(), out);
    }

    private static CertsNode find(
            String area, CommandFlags flags, Composition composition, Reporter out) {
        if (!flags.list(Flag.ENDPOINTS).isEmpty()) {
            throw new UsageException(
                    "--endpoints cannot be used here",
                    "this command manages the certificates of this node's etcd",
                    "run the command on each control-plane node, without the flag");
        }
        CertsNode node = CertsNodes.find(area, flags, composition, out);
        if (!node.stackedEtcd()) {
            throw new UsageException(
                    "this cluster uses an external etcd",
                    "its certificates are managed where it runs",
                    "");
        }
        return node;
    }
}
