/** Texts that are not in the code of the console, by the English ones; empty in English. */
let served: ReadonlyMap<string, string> = new Map();

/** Sets the translations of texts that are not in the code of the console. */
export function setServedTexts(texts: Readonly<Record<string, string>>): void {
  served = new Map(Object.entries(texts));
}

let translateMessage = (message: string): string => message;

/** Sets what translates messages of the service. */
export function setMessageTranslator(translate: (message: string) => string): void {
  translateMessage = translate;
}

/** Translates a message of the service, such as an error. One that is unknown is returned as it is. */
export function servedMessage(message: string): string {
  return translateMessage(message);
}

/** Translates a text of a node type, a kind of credentials or a template. Any other is returned as it is. */
export function servedText(text: string): string {
  return served.get(text) ?? text;
}
