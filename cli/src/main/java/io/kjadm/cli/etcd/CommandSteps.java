package io.kjadm.cli.etcd;

import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.AutoMemory;
import io.kjadm.core.auto.AutoSteps;
import io.kjadm.core.auto.MemberFence;
import io.kjadm.core.auto.RestoredData;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Step;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Runs the steps of the automatic mode: parses the command that is shown, as if an operator had typed
 * it, and runs it in this program.
 *
 * @param commands   of {@code etcd}, whose changes of members are guarded
 * @param generation that this machine's member is of
 * @param restoring  for members of a generation that ends
 */
record CommandSteps(
        EtcdCommand commands,
        SystemdEtcd etcd,
        CaOfGeneration ca,
        IntSupplier generation,
        Restoring restoring)
        implements AutoSteps {

    /**
     * What is done besides where a generation ends.
     *
     * @param data   what the first member of the next generation has to serve
     * @param locked runs something while no other kjadm changes this machine
     */
    record Restoring(
            Supplier<Charter> log,
            MemberFence fence,
            RestoredData data,
            Consumer<Runnable> locked) {

        /** Of this machine. */
        static Restoring of(
                AutoLog log,
                AutoMemory memory,
                StandaloneEtcd etcd,
                MemberSettings settings,
                Composition composition) {
            Reporter out = composition.out();
            SystemdEtcd service =
                    new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard());
            return new Restoring(
                    log::charter,
                    new MemberFence(memory, service, settings.directories().data(), out),
                    new RestoredData(
                            service, etcd.clients(), composition.ports().observer(), out),
                    work -> {
                        try (Claim _ = HostLock.claim(composition.ports().files())) {
                            work.run();
                        }
                    });
        }
    }

    @Override
    public void run(Step step) {
        switch (step) {
            case Step.Init _ -> {
                ca.writeKey();
                Charter charter = restoring.log().get();
                int founded = generation.getAsInt();
                Path certificates = etcd.paths().certificatesDir();
                // where this machine was put back as a whole, it has provided it before
                ca.passOn(founded, certificates);
                charter.ending()
                        .ifPresent(end -> ca.passOn(end.began().generation(), certificates));
                command(step);
                restoring.data().require(charter);
                ca.provide(founded);
            }
            case Step.Join _, Step.JoinWithData _ -> {
                ca.writeKey();
                command(step);
            }
            case Step.Clients _,
                    Step.Remove _,
                    Step.Reset _,
                    Step.Save _,
                    Step.Upgrade _,
                    Step.Renew _ -> command(step);
            case Step.Start _ -> etcd.beginChecked();
            case Step.Fence fence ->
                restoring.locked().accept(() -> restoring.fence().fence(fence));
            case Step.Unfence back ->
                restoring.locked().accept(() -> restoring.fence().unfence(back));
        }
    }

    /** What a phase failed of; an error of this program ends the daemon. */
    static RuntimeException failed(CommandLine.ExecutionException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof KjadmException failure) {
                return failure;
            }
        }
        return e;
    }

    /** Parses the words of a step after {@code etcd}, and runs what they name. */
    private void command(Step step) {
        List<String> words = step.words();
        CommandLine.ParseResult parsed = commands.build(true)
                .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        try {
            new CommandLine.RunLast().execute(parsed);
        } catch (CommandLine.ExecutionException e) {
            throw failed(e);
        } finally {
            // what a command has used the daemon does not need for months
            System.gc();
        }
    }
}
