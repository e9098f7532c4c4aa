package io.kjadm.core.journal;

import io.kjadm.core.error.HostException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An operation that was interrupted on this machine and has not been finished.
 *
 * @param owner    what its journal says of it
 * @param path     of the journal
 * @param obstacle why it cannot be continued on this machine as it is; empty if it can
 * @param next     how it is finished, or undone
 */
public record Unfinished(JournalOwner owner, Path path, Optional<String> obstacle, String next) {

    /** With the usual way to finish it. */
    public static Unfinished of(JournalOwner owner, Path path) {
        return new Unfinished(owner, path, Optional.empty(), owner.operation().next());
    }

    /** Which. */
    public Operation operation() {
        return owner.operation();
    }

    /** What is known of it, in one sentence. */
    public String facts() {
        List<String> parts = new ArrayList<>();
        owner.began().ifPresent(at -> parts.add("started at " + at));
        if (!owner.step().isEmpty()) {
            parts.add("at step " + owner.step());
        }
        owner.memberId().ifPresent(id -> parts.add("about etcd member " + id));
        owner.clusterId().ifPresent(id -> parts.add("of cluster " + id));
        parts.add("journal " + path);
        obstacle.ifPresent(parts::add);
        return String.join(", ", parts);
    }

    /** The error of a command that must not run beside it. */
    public HostException refusal() {
        return new HostException(
                "%s is not finished on this machine".formatted(operation().aTitle()),
                facts(),
                next);
    }
}
