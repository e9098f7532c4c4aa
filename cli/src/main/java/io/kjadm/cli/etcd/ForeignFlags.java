package io.kjadm.cli.etcd;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;

import java.util.List;

/** Flags of a group of commands that one of them has no use for. */
final class ForeignFlags {

    static final String OWN_ETCD = "this command works on this machine's etcd";

    private ForeignFlags() {}

    /** @throws UsageException if one of them is set */
    static void refuse(CommandFlags flags, List<Flag> foreign, String why, String next) {
        foreign.stream().filter(flags::isSet).findFirst().ifPresent(flag -> {
            throw new UsageException("--%s cannot be used here".formatted(flag), why, next);
        });
    }

    /** Those that name a release, where etcd is a static Pod. */
    static void refuseReleaseSource(CommandFlags flags) {
        refuse(
                flags,
                List.of(Flag.ALLOW_INSECURE_RELEASE_SERVER, Flag.ETCD_TARBALL, Flag.RELEASE_URL),
                "it names the source of a release for a standalone etcd, and this machine has none",
                "leave it out");
    }

    /** The flags of a command that works on this machine's etcd, wherever its files are. */
    static CommandFlags none(CommandFlags flags, Flag... foreign) {
        refuse(flags, List.of(foreign), OWN_ETCD, "omit the flag");
        return flags;
    }
}
