package io.kjadm.core.preflight;

import io.kjadm.core.host.HostInfo;

import java.util.List;

/** The program must run as root. */
public record PrivilegedUserCheck(HostInfo host) implements Check {

    @Override
    public String name() {
        return "IsPrivilegedUser";
    }

    @Override
    public List<Finding> run() {
        return Finding.errorIf(!host.isPrivileged(), "user is not running as root");
    }
}
