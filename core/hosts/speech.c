/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * speech.c - see speech.h.
 *
 * What is written in two ways, or not as it should be, is refused: a server
 * might read it otherwise.
 */

#include "config.h"

#include "hosts/speech.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MORE = 0, GOOD = 1, BAD = -1 };

/* ---- TLS ----------------------------------------------------------------- */

#define FIRST_RECORD 20
#define HANDSHAKE 22
#define LAST_RECORD 24
#define CLIENT_HELLO 1
#define SERVER_NAME 0

/* Bytes that are read off from the front. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

/* A number of so many bytes, and then as many: the part. */
static bool
take_part(struct bytes *from, size_t width, struct bytes *part)
{
	size_t size = 0;
	size_t i;

	if (from->left < width)
		return false;
	for (i = 0; i < width; i++)
		size = size << 8 | from->at[i];
	if (from->left - width < size)
		return false;
	*part = (struct bytes){from->at + width, size};
	from->at += width + size;
	from->left -= width + size;
	return true;
}

static bool
skip(struct bytes *from, size_t size)
{
	if (from->left < size)
		return false;
	from->at += size;
	from->left -= size;
	return true;
}

/* The list of one name. */
static bool
is_server_name(struct bytes extension, const char *name)
{
	struct bytes list;
	struct bytes host;

	return take_part(&extension, 2, &list) && extension.left == 0 &&
	       list.left > 0 && list.at[0] == 0 && skip(&list, 1) &&
	       take_part(&list, 2, &host) && list.left == 0 &&
	       host.left == strlen(name) &&
	       strncasecmp((const char *)host.at, name, host.left) == 0;
}

static int
check_hello(struct bytes hello, const char *name)
{
	struct bytes part;
	struct bytes all;
	int found = 0;

	if (!skip(&hello, 2 + 32) || !take_part(&hello, 1, &part) ||
	    !take_part(&hello, 2, &part) || !take_part(&hello, 1, &part) ||
	    !take_part(&hello, 2, &all) || hello.left != 0)
		return BAD;
	while (all.left > 0) {
		unsigned type;

		if (all.left < 2)
			return BAD;
		type = (unsigned)all.at[0] << 8 | all.at[1];
		if (!skip(&all, 2) || !take_part(&all, 2, &part))
			return BAD;
		if (type != SERVER_NAME)
			continue;
		if (found++ > 0 || !is_server_name(part, name))
			return BAD;
	}
	return found == 1 ? GOOD : BAD;
}

/* The message may be cut into records, and these into packets, anyhow. */
static int
look_at_tls(const uint8_t *bytes, size_t len, const char *name)
{
	uint8_t message[OMEGA_SPEECH_MOST];
	size_t used = 0;
	size_t whole;

	for (;;) {
		size_t size;
		size_t have;

		if ((len > 0 && bytes[0] != HANDSHAKE) ||
		    (len > 1 && bytes[1] != 3))
			return BAD;
		if (len < 5)
			return MORE;
		size = (size_t)bytes[3] << 8 | bytes[4];
		have = len - 5 < size ? len - 5 : size;
		if (size == 0 || used + size > sizeof(message))
			return BAD;
		memcpy(message + used, bytes + 5, have);
		used += have;
		if (used > 0 && message[0] != CLIENT_HELLO)
			return BAD;
		if (used >= 4) {
			whole = ((size_t)message[1] << 16 |
				    (size_t)message[2] << 8 | message[3]) +
				4;
			if (whole > sizeof(message) || used > whole)
				return BAD;
			if (used == whole)
				return check_hello(
				    (struct bytes){message + 4, whole - 4},
				    name);
		}
		if (have < size)
			return MORE;
		bytes += 5 + size;
		len -= 5 + size;
	}
}

/* ---- HTTP ---------------------------------------------------------------- */

enum { AT_HEAD, AT_BODY, AT_CHUNK, AT_CHUNK_END, AT_TRAILER };

/* NAME or NAME:PORT, in either case, a dot behind the name maybe. */
static bool
is_host(const char *text, size_t len, const struct omega_speech *speech)
{
	char port[8];
	size_t name = strlen(speech->name);

	if (len < name || strncasecmp(text, speech->name, name) != 0)
		return false;
	text += name;
	len -= name;
	if (len > 0 && *text == '.') {
		text++;
		len--;
	}
	if (len == 0)
		return true;
	snprintf(port, sizeof(port), ":%u", (unsigned)speech->port);
	return len == strlen(port) && memcmp(text, port, len) == 0;
}

static bool
is_token(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] == 0x7f ||
		    strchr("\"(),/:;<=>?@[\\]{}", text[i]) != NULL)
			return false;
	return len > 0;
}

/* METHOD SP TARGET SP HTTP/1.x; the target is a path, or names the host. */
static int
check_request(const char *line, size_t len, const struct omega_speech *speech)
{
	const char *end = line + len;
	const char *target = memchr(line, ' ', len);
	const char *version;
	const char *path;

	if (target == NULL || !is_token(line, (size_t)(target - line)) ||
	    strncmp(line, "CONNECT ", 8) == 0 || strncmp(line, "PRI ", 4) == 0)
		return BAD;
	target++;
	version = memchr(target, ' ', (size_t)(end - target));
	if (version == NULL || version == target || end - version != 9 ||
	    (memcmp(version, " HTTP/1.1", 9) != 0 &&
		memcmp(version, " HTTP/1.0", 9) != 0))
		return BAD;
	if (*target == '/' || (*target == '*' && version == target + 1))
		return GOOD;
	if (version - target < 7 || strncasecmp(target, "http://", 7) != 0)
		return BAD;
	target += 7;
	path = memchr(target, '/', (size_t)(version - target));
	return is_host(target,
		   (size_t)((path == NULL ? version : path) - target), speech)
		   ? GOOD
		   : BAD;
}

/* What some server takes for a blank. */
static bool
is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') ||
	       (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}

/*
 * Does it begin as a request does, or as a server may take one: behind empty
 * lines, with another method, in small letters, with other blanks? A line that
 * is not one, or what is no text before the first blank, is of another
 * protocol.
 */
static int
is_request(const uint8_t *bytes, size_t len)
{
	static const char *const methods[] = {"GET", "HEAD", "POST", "PUT",
	    "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", NULL};
	char line[1024] = "";
	size_t used = 0;
	size_t word = 0;
	size_t i;

	while (len > 0 && is_blank(*bytes)) {
		bytes++;
		len--;
	}
	while (word < len && word < sizeof(line) - 1 && !is_blank(bytes[word]))
		if (bytes[word] < ' ' || bytes[word++] >= 0x7f)
			return BAD;
	for (; used < len && used < sizeof(line) - 1 && bytes[used] != '\n';
	     used++)
		line[used] = bytes[used] == '\0' ? ' ' : (char)bytes[used];
	for (i = 0; word < len && methods[i] != NULL; i++)
		if (word == strlen(methods[i]) && bytes[word] != '\r' &&
		    bytes[word] != '\n' &&
		    strncasecmp(line, methods[i], word) == 0)
			return GOOD;
	if (strcasestr(line, "HTTP/") != NULL || used == sizeof(line) - 1)
		return GOOD;
	return used < len ? BAD : MORE;
}

struct head {
	int hosts;
	int lengths;
	int chunks;
	uint64_t length;
};

static bool
is_called(const char *line, size_t len, const char *name)
{
	return len == strlen(name) && strncasecmp(line, name, len) == 0;
}

static int
check_field(const char *line, size_t len, const struct omega_speech *speech,
    struct head *head)
{
	const char *colon = memchr(line, ':', len);
	const char *end = line + len;
	const char *value;
	size_t name;

	if (colon == NULL || !is_token(line, (size_t)(colon - line)))
		return BAD;
	name = (size_t)(colon - line);
	value = colon + 1;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	len = (size_t)(end - value);
	if (is_called(line, name, "host")) {
		if (head->hosts++ > 0 || !is_host(value, len, speech))
			return BAD;
	} else if (is_called(line, name, "content-length")) {
		if (head->lengths++ > 0 || len == 0 || len > 18 ||
		    strspn(value, "0123456789") != len)
			return BAD;
		head->length = strtoull(value, NULL, 10);
	} else if (is_called(line, name, "transfer-encoding")) {
		if (head->chunks++ > 0 || !is_called(value, len, "chunked"))
			return BAD;
	} else if (is_called(line, name, "upgrade")) {
		return BAD; /* what comes then nobody here could read */
	}
	return GOOD;
}

/*
 * The end of the lines up to an empty one, in which every line ends with CR LF
 * and has nothing that is not printed; 0: not yet, or *is_bad.
 */
static size_t
find_end(const char *text, size_t len, bool *is_bad)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\r' && i + 1 == len)
			return 0;
		if ((c == '\r') != (i + 1 < len && text[i + 1] == '\n')) {
			*is_bad = true;
			return 0;
		}
		if (c == '\r') {
			i++;
			if (i < 2 || text[i - 2] == '\n')
				return i + 1;
		} else if ((c < ' ' && c != '\t') || c == 0x7f) {
			*is_bad = true;
			return 0;
		}
	}
	return 0;
}

static int
check_head(struct omega_speech *speech, const char *text, size_t size)
{
	struct head head = {.hosts = 0};
	const char *end = text + size - 2; /* the empty line */
	const char *next = strstr(text, "\r\n");
	int ret = check_request(text, (size_t)(next - text), speech);

	for (text = next + 2; ret == GOOD && text < end; text = next + 2) {
		next = strstr(text, "\r\n");
		ret = check_field(text, (size_t)(next - text), speech, &head);
	}
	if (ret != GOOD || head.hosts != 1 ||
	    (head.lengths > 0 && head.chunks > 0))
		return BAD;
	speech->pass = size;
	speech->body = head.length;
	speech->where = head.chunks > 0	  ? AT_CHUNK
			: head.length > 0 ? AT_BODY
					  : AT_HEAD;
	return GOOD;
}

/* A server that does not care for what comes with a GET reads the next request
 * there: a word, a blank, and a path or an address. */
static int
check_body(struct omega_speech *speech, const uint8_t *bytes, size_t len)
{
	size_t word = 0;
	size_t at = 0;

	if (len > speech->body)
		len = (size_t)speech->body;
	while (at < len && is_blank(bytes[at]))
		at++;
	while (at + word < len && !is_blank(bytes[at + word]) &&
	       is_token((const char *)bytes + at + word, 1))
		word++;
	bytes += at + word;
	at = len - at - word; /* what is left */
	if (at > 0 && word > 0 && is_blank(*bytes)) {
		for (; at > 0 && is_blank(*bytes); at--)
			bytes++;
		if (at > 0 && memchr("/*hH", *bytes, 4) != NULL)
			return BAD;
	}
	if (at == 0 && word < 64 && len < speech->body)
		return MORE;
	speech->pass = speech->body;
	speech->where = AT_HEAD;
	return GOOD;
}

/* "1a;...\r\n", without blanks, which a request would have; or the line's end
 * behind the bytes. */
static int
check_chunk(struct omega_speech *speech, const char *text, size_t len)
{
	const char *line = memchr(text, '\n', len);
	size_t digits = strspn(text, "0123456789abcdefABCDEF");
	uint64_t size;

	if (speech->where == AT_CHUNK_END) {
		if (memcmp(text, "\r\n", len < 2 ? len : 2) != 0)
			return BAD;
		speech->pass = 2;
		speech->where = AT_CHUNK;
		return len < 2 ? MORE : GOOD;
	}
	if (line == NULL)
		return len > 256 ? BAD : MORE;
	if (digits == 0 || digits > 15 || line[-1] != '\r' ||
	    (text[digits] != '\r' && text[digits] != ';'))
		return BAD;
	for (; text + digits < line - 1; digits++)
		if (text[digits] <= ' ' || text[digits] == 0x7f)
			return BAD;
	size = strtoull(text, NULL, 16);
	speech->pass = (uint64_t)(line - text) + 1 + size;
	speech->where = size == 0 ? AT_TRAILER : AT_CHUNK_END;
	return GOOD;
}

static int
look_at_http(struct omega_speech *speech, const uint8_t *bytes, size_t len)
{
	char text[OMEGA_SPEECH_MOST + 1];
	bool is_bad = false;
	size_t end;

	if (len > OMEGA_SPEECH_MOST)
		len = OMEGA_SPEECH_MOST;
	memcpy(text, bytes, len);
	text[len] = '\0';
	if (speech->where == AT_BODY)
		return check_body(speech, bytes, len);
	if (speech->where == AT_CHUNK || speech->where == AT_CHUNK_END)
		return check_chunk(speech, text, len);
	end = find_end(text, len, &is_bad);
	if (is_bad)
		return BAD;
	if (end == 0)
		return MORE;
	text[end] = '\0';
	if (speech->where == AT_HEAD)
		return end == 2 ? BAD : check_head(speech, text, end);
	speech->pass = end;
	speech->where = AT_HEAD;
	return GOOD;
}

/* ---- Either -------------------------------------------------------------- */

int
omega_speech_look(struct omega_speech *speech, const uint8_t *bytes, size_t len)
{
	int ret = MORE;

	if (speech->kind == OMEGA_SPEECH_OPEN) {
		/* As a record of TLS, also such as only some server takes for
		 * one: of any kind, and of any version below 16. */
		if (len >= 1 && bytes[0] >= FIRST_RECORD &&
		    bytes[0] <= LAST_RECORD) {
			if (len < 2)
				return MORE;
			if (bytes[1] < 16)
				speech->kind = OMEGA_SPEECH_TLS;
		}
		if (speech->kind == OMEGA_SPEECH_OPEN) {
			ret = is_request(bytes, len);
			if (ret == MORE)
				return MORE;
			speech->kind =
			    ret == GOOD ? OMEGA_SPEECH_HTTP : OMEGA_SPEECH_FREE;
		}
	}
	if (speech->kind == OMEGA_SPEECH_HTTP) {
		ret = look_at_http(speech, bytes, len);
	} else if (speech->kind == OMEGA_SPEECH_TLS) {
		ret = look_at_tls(bytes, len, speech->name);
		if (ret == GOOD)
			speech->kind = OMEGA_SPEECH_FREE;
	} else if (speech->kind == OMEGA_SPEECH_FREE) {
		ret = GOOD;
	}
	if (ret == MORE && len >= OMEGA_SPEECH_MOST)
		ret = BAD;
	return ret;
}
