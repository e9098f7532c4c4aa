package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/** Calls of the file system, whose failures say what was not done and what to check. */
final class DiskCalls {

    /** A call that gives something. */
    @FunctionalInterface
    interface Question<T> {

        T ask() throws IOException;
    }

    /** A call that does something. */
    @FunctionalInterface
    interface Action {

        void run() throws IOException;
    }

    private DiskCalls() {}

    /** @param what was not done if the call fails: {@code cannot read FILE} */
    static <T> T answer(String what, Question<T> call) {
        try {
            return call.ask();
        } catch (IOException e) {
            throw failure(what, e);
        }
    }

    /** The same; empty if there is no such file. */
    static <T> Optional<T> present(String what, Question<T> call) {
        return answer(what, () -> {
            try {
                return Optional.of(call.ask());
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        });
    }

    static void attempt(String what, Action call) {
        try {
            call.run();
        } catch (IOException e) {
            throw failure(what, e);
        }
    }

    static HostException failure(String what, IOException cause) {
        return new HostException(
                what,
                reason(cause),
                "check the path, its owner and the free space, then run the command again",
                cause);
    }

    /** The JDK's message of several of these is only the path. */
    private static String reason(IOException cause) {
        return switch (cause) {
            case FileAlreadyExistsException e -> e.getFile() + " already exists";
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case AccessDeniedException e -> "access to " + e.getFile() + " is denied";
            case DirectoryNotEmptyException e -> e.getFile() + " is not empty";
            default -> cause.toString();
        };
    }
}
