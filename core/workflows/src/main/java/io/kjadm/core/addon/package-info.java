/** The addons of every cluster, installed or brought up to date by whichever workflow wants them. */
package io.kjadm.core.addon;
