package io.kjadm.cli.command;

import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.staticpod.KubeletCriSocket;

import java.util.List;

/**
 * A phase that is run by itself.
 *
 * @param name  its full name
 * @param flags those that its command takes
 */
public record OnePhase(String name, List<Flag> flags) {

    public OnePhase {
        flags = List.copyOf(flags);
    }

    public Selection selection() {
        return Selection.only(name);
    }

    /**
     * Whether the operator can say which container runtime is meant. Where not, several runtimes on
     * the machine are no reason to refuse.
     */
    public boolean takesSocket() {
        return flags.contains(Flag.CRI_SOCKET);
    }

    /** What its configuration is loaded with. */
    public LoadOptions loadOptions() {
        return takesSocket() ? LoadOptions.RUN : LoadOptions.RUN.withCriSocket(nodesSocket());
    }

    private static String nodesSocket() {
        return KubeletCriSocket.find(new DiskFiles(), KubernetesPaths.standard())
                .orElseGet(new CriSockets(new MachineFacts()::answers)::firstAnswering);
    }
}
