package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;

/** Removes what a directory holds; symbolic links go, what they point to stays. */
final class TreeRemoval implements DirectoryTree.Work {

    /** Unlinking tells files and links from directories in the moment that it happens. */
    @Override
    public boolean enter(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        try {
            parent.deleteFile(name);
            return false;
        } catch (NoSuchFileException vanished) {
            throw vanished;
        } catch (FileSystemException refused) {
            if (DirectoryTree.facts(parent, name).isDirectory()) {
                return true;
            }
            throw refused;
        }
    }

    @Override
    public void leave(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        parent.deleteDirectory(name);
    }
}
