package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.MadeData;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The data of a member that begins, made of a snapshot that was fetched. May be repeated. Its name
 * stays noted until the member serves.
 */
record SnapshotData(HostFiles files, EtcdRun run, RestoredEtcd etcd, Reporter out) {

    /** Whether its etcd has data. */
    static boolean isThere(HostFiles files, EtcdRun run) {
        return files.exists(member(run));
    }

    private static Path member(EtcdRun run) {
        return run.settings().directories().data().resolve(KubernetesPaths.ETCD_MEMBER);
    }

    /**
     * A snapshot that is on this machine, and was found whole.
     *
     * @param raise as {@link RestoreSource#raise}
     */
    record Fetched(String name, OptionalLong raise) implements RestoreSource {

        static Fetched of(RestoreSource source) {
            return new Fetched(source.name(), source.raise());
        }

        /** What {@link #text} has made. */
        static Fetched parse(String text) {
            List<String> lines = text.strip().lines().toList();
            return new Fetched(
                    lines.isEmpty() ? "" : lines.getFirst(),
                    lines.stream().skip(1).mapToLong(Long::parseLong).findFirst());
        }

        String text() {
            return name + "\n" + (raise.isPresent() ? raise.getAsLong() + "\n" : "");
        }

        @Override
        public String title() {
            return "snapshot " + name;
        }

        @Override
        public List<String> describe() {
            return List.of();
        }

        @Override
        public OptionalLong revision() {
            return OptionalLong.empty();
        }

        @Override
        public String command() {
            return "kjadm etcd init";
        }

        @Override
        public void fetch(HostFiles files, Path file) {
            throw new IllegalStateException("it was fetched");
        }
    }

    void make() {
        EtcdHostPaths paths = run.paths();
        Path data = run.settings().directories().data();
        boolean there = isThere(files, run);
        if (!there) {
            etcd.prepare();
        }
        Fetched source = Fetched.parse(files.read(paths.fetchedSnapshotName()).orElse(""));
        long usual = there ? 0 : etcd.raisedBy();
        RestoredEtcd.Making making = new RestoredEtcd.Making(
                paths.fetchedSnapshot(),
                data,
                new NameAndUrl(run.settings().name(), run.settings().peerUrl()),
                run.record().token(),
                source,
                usual == 0 ? 0 : source.raise().orElse(usual));
        if (!there) {
            files.createDirectory(data, FileMode.PRIVATE_DIRECTORY);
            files.createOwnDirectory(making.work());
            etcd.make(making);
            requireMade(making, making.target().resolve(KubernetesPaths.ETCD_MEMBER));
            files.rename(making.target().resolve(KubernetesPaths.ETCD_MEMBER), member(run));
        }
        requireMade(making, member(run));
        files.deleteTree(making.work());
        files.delete(paths.fetchedSnapshot());
        out.step("restore", "etcd's data in %s are those of the snapshot".formatted(data));
    }

    /** An etcd that was started without data meanwhile has others. */
    private void requireMade(RestoredEtcd.Making making, Path member) {
        new MadeData(files, making.dataDir(), MadeData.ids(making.token(), making.member()))
                .fault(member)
                .ifPresent(why -> {
                    throw new HostException(
                            "%s does not hold the data of the snapshot".formatted(member),
                            why,
                            "if an etcd was started on this machine, stop it; move %s away, then run 'kjadm etcd init' again"
                                    .formatted(member));
                });
    }
}
