/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * symbol.h - what a shared object exports, found out without loading it.
 *
 * Loading runs the constructors in a file, whatever it is; so a file is asked
 * first whether it is a plugin at all. One implementation per object format.
 */

#ifndef OMEGA_LOAD_SYMBOL_H
#define OMEGA_LOAD_SYMBOL_H

enum omega_symbol {
	OMEGA_SYMBOL_FOUND = 0, /* a data object of that name is exported */
	OMEGA_SYMBOL_MISSING,
	OMEGA_SYMBOL_NOT_DATA, /* the name is there, but is a function */
	OMEGA_SYMBOL_NOT_SHARED, /* not a shared object, or a broken one */
	OMEGA_SYMBOL_FOREIGN, /* made for another machine */
};

/*
 * Look for name in the file open at fd. Any file may be given: nothing in it
 * is believed. Returns an enum omega_symbol, or a negative errno when the
 * file cannot be read.
 */
int omega_symbol_find(int fd, const char *name);

#endif
