let count = 0;

/** Returns an identifier that is greater than any before, as those of the API are. */
export function newId(): string {
  count += 1;
  return `019a${count.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;
}
