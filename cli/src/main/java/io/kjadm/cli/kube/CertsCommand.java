package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.CertsListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.CertsNodes;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.NodeOfConfiguration;
import io.kjadm.core.certs.CertsNode;
import io.kjadm.core.certs.ControlPlaneServers;
import io.kjadm.core.certs.ExpirationCheck;
import io.kjadm.core.certs.ManagedCertificate;
import io.kjadm.core.certs.SigningRequestFiles;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code kjadm certs}: looks after the certificates of a control-plane node. */
public record CertsCommand(Console console, Function<Console, Reporter> reporters) {

    public CommandLine build() {
        return CommandBuilder.group("certs", "Manage the certificates of a control plane", console)
                .aliases(List.of("certificates"))
                .subcommand(CommandBuilder.running(
                                "certificate-key",
                                "Generate and print a certificate key",
                                (flags, words) ->
                                        console.print(CertificateKey.generate().hex() + "\n"))
                        .example("Generate a certificate key", "")
                        .build())
                .subcommand(CommandBuilder.running(
                                "check-expiration",
                                "Check the expiration of the certificates of a control plane",
                                (flags, words) -> check(flags))
                        .flags(Stream.of(
                                        CertsNodes.WHERE,
                                        FlagOption.all(Flag.ALL_NODES),
                                        OutputFlags.ALL)
                                .flatMap(List::stream)
                                .toList())
                        .example("Check the certificates on this node", "")
                        .example(
                                "Also check the certificates that are served on all nodes",
                                "--all-nodes")
                        .example("Print the result as JSON", "-o json")
                        .build())
                .subcommand(CommandBuilder.running(
                                "generate-csr",
                                "Generate keys and certificate signing requests for an external CA",
                                (flags, words) -> generateRequests(flags))
                        .flags(FlagOption.all(Flag.CERT_DIR, Flag.CONFIG, Flag.KUBECONFIG_DIR))
                        .example(
                                "Generate the requests in other directories",
                                "--cert-dir /tmp/pki --kubeconfig-dir /tmp/kubeconfig")
                        .build())
                .subcommand(renew())
                .build();
    }

    private CommandLine renew() {
        CommandBuilder group = CommandBuilder.group(
                "renew", "Renew certificates of a control plane, with new keys", console);
        ManagedCertificate.all()
                .forEach(certificate -> group.subcommand(renewing(
                        certificate.name(),
                        "Renew the " + certificate.description(),
                        node -> List.of(ManagedCertificate.named(
                                certificate.name(), node.stackedEtcd())))));
        return group.subcommand(renewing(
                        "all",
                        "Renew all certificates on this node, except those of the CAs and the kubelet",
                        node -> ManagedCertificate.of(node.stackedEtcd())))
                .build();
    }

    private CommandLine renewing(
            String name, String help, Function<CertsNode, List<ManagedCertificate>> which) {
        return CommandBuilder.running(name, help, (flags, words) -> renew(flags, name, which))
                .flags(FlagOption.all(CertsNodes.WHERE, Flag.DRY_RUN, Flag.RESTART))
                .example("Renew, and restart the components that use it", "--restart")
                .example("Show what would be renewed", "--dry-run")
                .build();
    }

    private void check(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writer(flags);
        Reporter out = reporters.apply(writer.isPresent() ? console.withoutResults() : console);
        try (Composition composition = new Composition(out, false)) {
            CertsNode node = CertsNodes.look("check-expiration", flags, composition, out);
            List<Expirations.Served> served = flags.isOn(Flag.ALL_NODES)
                    ? out.during(
                            "check-expiration",
                            "Asking the servers of the control plane",
                            () -> new ControlPlaneServers(new TlsCertificateProbe(), out)
                                    .look(
                                            () -> composition
                                                    .clients()
                                                    .of(CertsNodes.kubeconfig(flags, composition)),
                                            LocalEtcdState.look(
                                                    composition.ports().files(), node.paths())))
                    : List.of();
            CertsListing listing = new CertsListing(
                    new ExpirationCheck(composition.ports().files(), out).look(node, served));
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(() -> "\n" + listing.tables()));
        }
    }

    private void renew(
            CommandFlags flags, String name, Function<CertsNode, List<ManagedCertificate>> which) {
        Reporter out = reporters.apply(console);
        boolean restart = flags.isOn(Flag.RESTART);
        try (Composition composition =
                new Composition(out, flags.isOn(Flag.DRY_RUN)).changing(ChangingCommand.RENEWING)) {
            CertsNode node = CertsNodes.find("renew", flags, composition, out);
            List<ManagedCertificate> renewed =
                    CertsNodes.renew(composition, node, which.apply(node));
            if (restart) {
                CertsNodes.restart(flags, composition, node, out, EtcdRestart.Purpose.RENEWAL)
                        .restart(node, renewed);
            } else if (name.equals("all")) {
                out.print(
                        "\nDone renewing certificates. You must restart the kube-apiserver, kube-controller-manager, kube-scheduler and etcd, so that they can use the new certificates: 'kjadm certs renew all --restart' does both.\n");
            }
        }
    }

    private void generateRequests(CommandFlags flags) {
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, false).changing()) {
            ControlPlaneNode node = NodeOfConfiguration.load(flags, composition, out);
            new SigningRequestFiles(
                            composition.ports().files(),
                            KeyPairPool.onDemand(KeyAlgorithm.DEFAULT),
                            out)
                    .write(node);
        }
    }
}
