package io.kjadm.core.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.MemberId;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What is unfinished on this machine, by all of its journals: of a stacked etcd and of a standalone
 * etcd, and of earlier releases, too. Every command that changes etcd or this machine asks here
 * before it changes anything. It continues its own operation, and refuses beside any other.
 */
public final class UnfinishedOperations {

    /** Where a standalone etcd has its journals. */
    private static final Path STANDALONE = Path.of("/var/lib/kjadm/etcd");

    /** Without it a member was not begun to be set up. */
    private static final Path ENVIRONMENT = Path.of("/etc/etcd/etcd.env");

    private static final String JOURNAL = "journal.json";

    private final HostFiles files;
    private final KubernetesPaths paths;
    private final Path standalone;

    /**
     * @param paths      of the node
     * @param standalone where a standalone etcd has its journals
     */
    public UnfinishedOperations(HostFiles files, KubernetesPaths paths, Path standalone) {
        this.files = files;
        this.paths = paths;
        this.standalone = standalone;
    }

    /** On this machine. */
    public static UnfinishedOperations on(HostFiles files) {
        return new UnfinishedOperations(files, KubernetesPaths.standard(), STANDALONE);
    }

    /** All of them; nothing is changed by asking. */
    public List<Unfinished> all() {
        Path tmp = paths.tmpDir();
        return Stream.of(
                        at(paths.kubeletDir().resolve("kjadm-join.json"), Operation.JOIN),
                        at(tmp.resolve("kjadm-etcd-join"), Operation.JOIN),
                        at(tmp.resolve("kjadm-reset").resolve(JOURNAL), Operation.RESET),
                        at(tmp.resolve("kjadm-etcd-replace").resolve(JOURNAL), Operation.REPLACE),
                        at(tmp.resolve("kjadm-upgrade").resolve(JOURNAL), Operation.UPGRADE),
                        at(tmp.resolve("kjadm-restore").resolve(JOURNAL), Operation.RESTORE),
                        at(
                                tmp.resolve("kjadm-ca-rotation").resolve(JOURNAL),
                                Operation.CA_ROTATION),
                        at(standalone.resolve("member.json"), Operation.INIT),
                        at(standalone.resolve("kjadm-etcd-join"), Operation.JOIN),
                        at(standalone.resolve("reset.json"), Operation.RESET),
                        at(
                                standalone.resolve("upgrades/kjadm-upgrade").resolve(JOURNAL),
                                Operation.ETCD_VERSION),
                        at(standalone.resolve("restore").resolve(JOURNAL), Operation.RESTORE),
                        at(standalone.resolve("ca-rotation.json"), Operation.CA_ROTATION))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Lets a command go on only if nothing is unfinished but what it continues, or may run beside.
     *
     * @throws HostException if another operation is unfinished
     */
    public void require(ChangingCommand command) {
        against(command).ifPresent(found -> {
            throw found.refusal();
        });
    }

    /** The first operation that a command must not run beside. */
    Optional<Unfinished> against(ChangingCommand command) {
        return all().stream()
                .filter(found ->
                        !command.runsBeside(found.operation()) || isForeign(command, found))
                .findFirst();
    }

    /** An upgrade continues a change of a stacked etcd, and has no part in a standalone one. */
    private boolean isForeign(ChangingCommand command, Unfinished found) {
        return command == ChangingCommand.UPGRADING
                && found.operation() == Operation.ETCD_VERSION
                && found.path().startsWith(standalone);
    }

    private Optional<Unfinished> at(Path path, Operation usual) {
        return files.read(path).flatMap(text -> {
            JsonNode node;
            try {
                node = JournalJson.parse(text);
            } catch (JsonProcessingException e) {
                return damaged(path, usual, JournalJson.fault(e));
            }
            if (!counts(usual, path, node)) {
                return Optional.empty();
            }
            JournalOwner owner;
            try {
                owner = node.has(Journal.OWNER)
                        ? JournalJson.read(node.get(Journal.OWNER), JournalOwner.class)
                        : ofEarlierRelease(usual, node);
            } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
                return damaged(path, usual, JournalJson.fault(e));
            }
            Unfinished found = Unfinished.of(owner, path);
            return Optional.of(
                    owner.isOfAnotherThan(JournalOwner.machine(files))
                            ? ofAnotherMachine(found)
                            : found);
        });
    }

    /** A join and a reset do without such a journal; so does what would run beside them. */
    private static Optional<Unfinished> damaged(Path path, Operation usual, String why) {
        return usual == Operation.JOIN || usual == Operation.RESET
                ? Optional.empty()
                : Optional.of(new Unfinished(
                        new JournalOwner(
                                usual,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                ""),
                        path,
                        Optional.of("which cannot be read: " + why),
                        "run the command that wrote it again; it shows what to do by hand"));
    }

    private static Unfinished ofAnotherMachine(Unfinished found) {
        return new Unfinished(
                found.owner(),
                found.path(),
                Optional.of("written by another machine, whose disk this was or was copied from"),
                "continue it on that machine; if that one no longer exists, move %s away"
                        .formatted(found.path()));
    }

    /** Whether a file stands for something that is not finished. */
    private boolean counts(Operation usual, Path path, JsonNode node) {
        return switch (usual) {
            case INIT -> !node.path("finished").asBoolean() && files.exists(ENVIRONMENT);
            case UPGRADE, ETCD_VERSION ->
                node.path("rollingBack").asBoolean() || !node.path("changed").isEmpty();
            case RESET -> !ended(path, node);
            case JOIN -> !isOvertaken(path, node);
            // its data are complete, and another restore may take their place
            case RESTORE ->
                !node.path("step").asText().equals(RestoreStep.SERVING.name())
                        && !isSetUpSince(path, node);
            default -> true;
        };
    }

    /**
     * A reset that was killed when all but its journal was removed, and etcd, if there is one now,
     * was set up since.
     */
    private boolean ended(Path path, JsonNode node) {
        String noted = node.path("state").asText();
        if (path.startsWith(standalone)) {
            return noted.equals(ResetState.CLEANING.name())
                    && !files.exists(standalone.resolve("member.json"));
        }
        boolean etcd = files.exists(paths.manifest(EtcdPod.NAME));
        return Stream.of(ResetState.values())
                .filter(state -> state.name().equals(noted))
                .anyMatch(state -> state.isOvertaken(apiServerInPlace(), etcd));
    }

    private boolean apiServerInPlace() {
        return files.exists(paths.manifest(ApiServerPod.NAME));
    }

    /**
     * A restore that had stopped the control plane, which runs as another member's since: neither the
     * restore nor its undo may touch that one.
     */
    private boolean isSetUpSince(Path path, JsonNode node) {
        JsonNode data = node.path("data");
        List<String> known = Stream.of("previous", "made")
                .flatMap(whose -> word(data.path(whose), "memberId").stream())
                .toList();
        boolean stopped = Stream.of(RestoreStep.values())
                .filter(step -> step.compareTo(RestoreStep.STOPPED) >= 0)
                .anyMatch(step -> step.name().equals(node.path("step").asText()));
        return path.startsWith(paths.tmpDir())
                && stopped
                && known.size() == 2
                && apiServerInPlace()
                && new StackedEtcdData(files, paths)
                        .ids()
                        .filter(ids -> !known.contains(ids.memberId().toString()))
                        .isPresent();
    }

    /**
     * What is noted of a join although etcd was set up since, as a member of another cluster, or as
     * another member than the one that was added: that join cannot change it any more. A forced
     * reset keeps the note, which tells what became of the member, and kubeadm's reset does not
     * know it.
     */
    private boolean isOvertaken(Path path, JsonNode node) {
        if (!path.startsWith(paths.tmpDir())) {
            return false;
        }
        Optional<String> cluster = word(node, "clusterId");
        Optional<String> member = word(node, "memberId");
        return new StackedEtcdData(files, paths)
                .ids()
                .filter(data -> cluster.filter(id -> !id.equals(data.clusterId()))
                                .isPresent()
                        || member.filter(id -> !id.equals(data.memberId().toString()))
                                .isPresent())
                .isPresent();
    }

    private static JournalOwner ofEarlierRelease(Operation usual, JsonNode node) {
        return new JournalOwner(
                operation(usual, node),
                Optional.empty(),
                Optional.empty(),
                word(node, "clusterId"),
                word(node, "memberId").map(MemberId::parse),
                word(node, "began").or(() -> word(node, "at")).map(Instant::parse),
                Stream.of("step", "state", "stage")
                        .flatMap(field -> word(node, field).stream())
                        .findFirst()
                        .orElse(""));
    }

    /** Some operations share a place. */
    private static Operation operation(Operation usual, JsonNode node) {
        return switch (usual) {
            case INIT -> node.path("founder").asBoolean() ? Operation.INIT : Operation.JOIN;
            case UPGRADE ->
                word(node, "from").filter(from -> from.startsWith("etcd ")).isPresent()
                        ? Operation.ETCD_VERSION
                        : Operation.UPGRADE;
            case RESTORE ->
                word(node, "command")
                                .filter(command -> command.contains("recover"))
                                .isPresent()
                        ? Operation.RECOVER
                        : Operation.RESTORE;
            default -> usual;
        };
    }

    private static Optional<String> word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .map(JsonNode::asText)
                .filter(Predicate.not(String::isEmpty));
    }
}
