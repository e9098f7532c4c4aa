package io.kjadm.core.etcd;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.etcd.join.StartProblem;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Sees in the container runtime why a static pod does not come up, long before a limit passes:
 * its container ends, its image is missing, or the kubelet makes no container.
 *
 * <p>One end is no verdict, as the kubelet starts the container again: it is one if the last words
 * in the log are of a kind that no new start mends, or if it ends again. A process that ends in
 * peace (status 0) was asked to. A runtime that does not answer is nobody's fault here: it gives no
 * cause.
 *
 * <p>Containers of before are known by their IDs, not by their times: those are the machine's, whose
 * clock may be set while this runs.
 *
 * <p>Not safe for several threads.
 */
public final class StaticPodWatch {

    /** A look lists all containers: a few milliseconds. */
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final String component;
    private final RuntimeConnector runtimes;
    private final String criSocket;
    private final HostFiles files;
    private final Path manifest;
    private final Services services;
    private final Waiter clock;
    private Set<String> earlier = Set.of();
    /** Whether the runtime has told which containers are of before. */
    private boolean told;

    private ContainerExits ends;
    private MissingContainer absence;
    private Optional<Instant> looked = Optional.empty();
    private Optional<StartProblem> cause = Optional.empty();

    /**
     * Watches as after {@link #resumes}.
     *
     * @param component {@code etcd}, for example
     * @param manifest  of the pod, which names the image
     */
    public StaticPodWatch(String component, Machine machine, String criSocket, Path manifest) {
        this.component = component;
        this.runtimes = machine.runtimes();
        this.criSocket = criSocket;
        this.files = machine.files();
        this.manifest = manifest;
        this.services = machine.services();
        this.clock = machine.waiter();
        begin();
    }

    /**
     * The manifest is about to be written: containers that are there now are another member's. Where
     * the runtime does not tell which, what ended before its first answer says nothing.
     */
    public void starts() {
        begin();
        ifTold(runtime -> earlier = ids(containers(runtime)));
    }

    /** The manifest of an earlier run is in place: what ended before says nothing any more. */
    public void resumes() {
        begin();
        ifTold(this::excuseEnded);
    }

    private void begin() {
        earlier = Set.of();
        told = false;
        ends = new ContainerExits(component, files);
        absence = new MissingContainer(component, files, manifest, services);
        looked = Optional.empty();
        cause = Optional.empty();
    }

    private void ifTold(Consumer<ContainerRuntime> look) {
        try {
            look.accept(runtimes.connect(criSocket));
            told = true;
        } catch (HostException e) {
            // the first look that is answered sees what was there
            told = false;
        }
    }

    private List<Container> containers(ContainerRuntime runtime) {
        return new StaticPods(runtime).of(component);
    }

    private static Set<String> ids(Collection<Container> containers) {
        return containers.stream().map(Container::id).collect(Collectors.toUnmodifiableSet());
    }

    private void excuseEnded(ContainerRuntime runtime) {
        asked(containers(runtime).stream()
                .filter(container -> ContainerExits.hasEnded(runtime, container))
                .map(Container::id)
                .toList());
    }

    /**
     * These containers were asked to end: how they do says nothing, a process may be in the middle
     * of its start.
     */
    public void asked(List<String> containers) {
        ends.excuse(containers);
    }

    /** Why it does not come up, if that is known; asks the runtime at most twice a second. */
    public Optional<StartProblem> cause() {
        Instant now = clock.now();
        if (looked.filter(last -> Duration.between(last, now).compareTo(INTERVAL) < 0)
                .isPresent()) {
            return cause;
        }
        looked = Optional.of(now);
        try {
            cause = look(runtimes.connect(criSocket), now);
        } catch (HostException e) {
            // time without an answer counts for nothing
            absence.ends();
            cause = Optional.empty();
        }
        return cause;
    }

    private Optional<StartProblem> look(ContainerRuntime runtime, Instant now) {
        if (!told) {
            excuseEnded(runtime);
            told = true;
        }
        List<Container> own = containers(runtime).stream()
                .filter(container -> !earlier.contains(container.id()))
                .sorted(Comparator.comparing(Container::createdAt))
                .toList();
        own.forEach(container -> ends.note(runtime, container, now));
        if (own.isEmpty()) {
            return absence.look(runtime, now);
        }
        absence.ends();
        // while one runs it may have been mended
        return ends.cause(own.getLast(), now);
    }
}
