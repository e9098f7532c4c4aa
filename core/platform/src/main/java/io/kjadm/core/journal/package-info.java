/**
 * Journals of operations that can be interrupted, and what is unfinished on this machine. Read
 * {@link io.kjadm.core.journal.Journal} first, then
 * {@link io.kjadm.core.journal.UnfinishedOperations}.
 */
package io.kjadm.core.journal;
