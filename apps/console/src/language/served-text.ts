/** Texts that are not in the code of the console, by the English ones; empty in English. */
let served: ReadonlyMap<string, string> = new Map();

/** Sets the translations of texts that are not in the code of the console. */
export function setServedTexts(texts: Readonly<Record<string, string>>): void {
  served = new Map(Object.entries(texts));
}

/** Translates a text of a node type, a kind of credentials or a template. Any other is returned as it is. */
export function servedText(text: string): string {
  return served.get(text) ?? text;
}
