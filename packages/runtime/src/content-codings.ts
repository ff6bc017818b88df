/** Content codings of the IANA registry, and their aliases (RFC 9110, 8.4.1). */
const CODINGS = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
);

/**
 * Returns the codings of a Content-Encoding header that change the bytes of a body, in lower case, in the order in
 * which they were applied. Values that are not codings, such as `utf-8` and `aws-chunked`, are labels without effect.
 */
export function contentCodings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => CODINGS.has(coding));
}
