package io.kjadm.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Removes files of a store in a folder that others may write to. */
record FolderRemoval(Path store) {

    /**
     * Each folder is opened in the one before it and never through a link, as others may write to
     * the folder: one that is exchanged for a link meanwhile leads nowhere.
     */
    void remove(Path file) {
        Deque<SecureDirectoryStream<Path>> folders = new ArrayDeque<>();
        try {
            Path below = store.relativize(file);
            folders.push(secure(Files.newDirectoryStream(store)));
            for (Path name : below.getNameCount() == 1 ? List.<Path>of() : below.getParent()) {
                folders.push(
                        secure(folders.peek().newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)));
            }
            removeWithEmptyFolders(below, folders);
        } catch (NoSuchFileException e) {
            // it is gone
        } catch (IOException e) {
            throw new StoreException("cannot remove %s".formatted(file), FolderStore.reason(e), e);
        } finally {
            folders.forEach(FolderRemoval::close);
        }
    }

    private static void removeWithEmptyFolders(
            Path below, Deque<SecureDirectoryStream<Path>> folders) throws IOException {
        folders.peek().deleteFile(below.getFileName());
        SyncedFolder.sync(folders.peek());
        try {
            for (Path folder = below.getParent(); folder != null; folder = folder.getParent()) {
                close(folders.pop());
                folders.peek().deleteDirectory(folder.getFileName());
            }
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // another object is in it, or another run has removed it
        }
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> folder) {
        if (folder instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new IllegalStateException("this system opens directories by their paths only");
    }

    private static void close(DirectoryStream<Path> folder) {
        try {
            folder.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
