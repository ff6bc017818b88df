/** Media types by the ends of names, of the files that people work with most; the usual end of a type is last. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.tiff': 'image/tiff',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(MEDIA_TYPES).map(([extension, type]) => [type, extension]),
);

/** Returns the media type that the end of a name stands for. */
export function mediaTypeFor(name: string): string {
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? MEDIA_TYPES[name.slice(dot).toLowerCase()] : undefined) ?? 'application/octet-stream';
}

/** Returns the usual end of the name of a file, `.bin` for types that are not known. */
export function extensionFor(contentType: string): string {
  const [type = ''] = contentType.split(';');
  return EXTENSIONS.get(type.trim().toLowerCase()) ?? '.bin';
}
