package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;

/**
 * Gives files and directories to somebody. A directory goes first: what is in it is only touched
 * when the former owner cannot exchange it any more.
 */
record TreeOwning(UserPrincipal user, GroupPrincipal group) implements DirectoryTree.Work {

    static TreeOwning by(FileSystem files, Owner owner) throws IOException {
        UserPrincipalLookupService accounts = files.getUserPrincipalLookupService();
        return new TreeOwning(
                accounts.lookupPrincipalByName(String.valueOf(owner.uid())),
                accounts.lookupPrincipalByGroupName(String.valueOf(owner.gid())));
    }

    @Override
    public boolean enter(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        BasicFileAttributes facts = DirectoryTree.facts(parent, name);
        // an owner is given to what is open, and a pipe or a device is better not opened
        if (facts.isRegularFile()) {
            give(parent.getFileAttributeView(
                    name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
            DurableFile.sync(parent, name);
        }
        return facts.isDirectory();
    }

    @Override
    public void opened(SecureDirectoryStream<Path> directory) throws IOException {
        give(directory.getFileAttributeView(PosixFileAttributeView.class));
        DurableFile.sync(directory);
    }

    private void give(PosixFileAttributeView file) throws IOException {
        file.setGroup(group);
        file.setOwner(user);
    }
}
