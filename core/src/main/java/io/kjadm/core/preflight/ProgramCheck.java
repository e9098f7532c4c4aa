package io.kjadm.core.preflight;

import io.kjadm.core.host.CommandRunner;

import java.util.List;

/** A program that the kubelet runs is installed. */
record ProgramCheck(String program, CommandRunner runner) implements Check {

    @Override
    public String name() {
        return "FileExisting-" + program;
    }

    @Override
    public List<Finding> run() {
        return Finding.errorIf(!runner.isInstalled(program), program + " not found in system path");
    }
}
