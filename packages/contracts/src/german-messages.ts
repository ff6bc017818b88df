/**
 * The German of messages of the service that people see: errors, and why a value is not valid. `{0}` stands for a part
 * that a message has. Messages for programs, and rare ones, stay in English.
 */
export const GERMAN_MESSAGES: Readonly<Record<string, string>> = {
  'The request is not valid': 'Die Anfrage ist ungültig',
  'The body is not valid JSON': 'Der Inhalt ist kein gültiges JSON',
  'The wait has ended already: see `recorded`': 'Das Warten ist schon beendet: siehe `recorded`',
  'The run is not waiting for an answer there': 'Die Ausführung wartet dort nicht auf eine Antwort',
  Unauthorized: 'Nicht angemeldet',
  'API key is not scoped for this request': 'Der API-Schlüssel hat keine Berechtigung für diese Anfrage',
  'This endpoint requires an interactive session, not an API key':
    'Dies erfordert eine Anmeldung, keinen API-Schlüssel',
  'This API key is bound to a different workspace': 'Dieser API-Schlüssel gehört zu einem anderen Arbeitsbereich',
  'You do not have permission to do this': 'Ihnen fehlt die Berechtigung dafür',
  'Not found': 'Nicht gefunden',
  'Method not allowed': 'Methode nicht erlaubt',
  'This conflicts with the present state': 'Dies widerspricht dem aktuellen Stand',
  'The concurrency limit of this key is reached':
    'Die Obergrenze gleichzeitiger Ausführungen dieses Schlüssels ist erreicht',
  'This is not possible in the present state': 'Das ist im aktuellen Zustand nicht möglich',
  'The workflow has no saved version': 'Der Workflow hat keine gespeicherte Version',
  'Several waits of the node are open: name one by waitId or iteration':
    'Der Knoten wartet mehrfach: nennen Sie waitId oder iteration',
  'The maximum number of these is reached': 'Die höchste Anzahl davon ist erreicht',
  'The workflow is not active': 'Der Workflow ist nicht aktiv',
  'An output that is needed was deleted from its store': 'Eine benötigte Ausgabe wurde aus ihrem Speicher gelöscht',
  'The resource was changed since it was read': 'Es wurde inzwischen geändert',
  'The body is too large': 'Der Inhalt ist zu groß',
  'The workspace is over its storage quota': 'Der Arbeitsbereich hat sein Speicherkontingent überschritten',
  'Send JSON in UTF-8 without a Content-Encoding': 'Senden Sie JSON in UTF-8 ohne Content-Encoding',
  'The original run has not finished': 'Die ursprüngliche Ausführung ist noch nicht beendet',
  'The run would not come to the node that it starts from':
    'Die Ausführung käme nicht zu dem Knoten, ab dem sie beginnt',
  'The trigger data of the original run is no longer available':
    'Die Trigger-Daten der ursprünglichen Ausführung sind nicht mehr verfügbar',
  'The provider did not issue a token': 'Der Anbieter hat kein Token ausgestellt',
  'The service did not do what was asked': 'Der Dienst hat nicht getan, worum er gebeten wurde',
  'Sign in by single sign-on: passwords of your domain are refused':
    'Melden Sie sich per Single Sign-on an: Passwörter Ihrer Domain werden abgelehnt',
  'Add a second factor to your account first': 'Fügen Sie Ihrem Konto zuerst einen zweiten Faktor hinzu',
  'Confirm first that it is you, then repeat the request':
    'Bestätigen Sie zuerst, dass Sie es sind, und wiederholen Sie dann die Anfrage',
  'Single sign-on gives you no access here': 'Single Sign-on gibt Ihnen hier keinen Zugang',
  'The identity provider did not confirm who you are': 'Der Identitätsanbieter hat nicht bestätigt, wer Sie sind',
  'This sign-in has expired, was used, or was started in another browser: start it again':
    'Diese Anmeldung ist abgelaufen, wurde benutzt oder in einem anderen Browser begonnen: beginnen Sie neu',
  'People with an address of your domain have no access here':
    'Personen mit einer Adresse Ihrer Domain haben hier keinen Zugang',
  'You have no account here: ask for an invite': 'Sie haben hier kein Konto: bitten Sie um eine Einladung',
  'The identity provider does not say that your address is verified':
    'Der Identitätsanbieter bestätigt Ihre Adresse nicht',
  'Your address belongs to an account of another person at the identity provider':
    'Ihre Adresse gehört zum Konto einer anderen Person beim Identitätsanbieter',
  'Your account is deactivated: ask an administrator of this instance':
    'Ihr Konto ist deaktiviert: wenden Sie sich an die Administration dieser Instanz',
  'You have no password: sign in again by single sign-on, then repeat this within ten minutes':
    'Sie haben kein Passwort: melden Sie sich erneut per Single Sign-on an und wiederholen Sie dies binnen zehn Minuten',
  'This link is not valid, or not any more: request another':
    'Dieser Link ist nicht oder nicht mehr gültig: fordern Sie einen neuen an',
  'Too many requests': 'Zu viele Anfragen',
  'Too many runs started too quickly': 'Zu viele Ausführungen wurden zu schnell gestartet',
  'Something went wrong': 'Etwas ist schiefgegangen',
  'The run failed': 'Die Ausführung ist fehlgeschlagen',
  'The run was created but could not be queued': 'Die Ausführung wurde angelegt, konnte aber nicht eingereiht werden',
  'The decision is recorded but the run could not be resumed yet: submit again':
    'Die Entscheidung ist gespeichert, aber die Ausführung konnte noch nicht fortgesetzt werden: senden Sie sie erneut',
  'The service is not ready': 'Der Dienst ist nicht bereit',
  'New runs are refused for now, to protect storage':
    'Zum Schutz des Speichers werden gerade keine neuen Ausführungen angenommen',
  'The run did not finish in time': 'Die Ausführung wurde nicht rechtzeitig beendet',
  'A workspace needs an owner, and this is the last one':
    'Ein Arbeitsbereich braucht einen Eigentümer, und dies ist der letzte',
  'Its owner and admins say where and how often a credential may be used':
    'Wo und wie oft Zugangsdaten verwendet werden, bestimmen ihr Eigentümer und Administratoren',
  'Only its owner may change a private credential, or make one private':
    'Nur ihr Eigentümer kann private Zugangsdaten ändern oder Zugangsdaten privat machen',
  'No such API key': 'Diesen API-Schlüssel gibt es nicht',
  'No such credential': 'Diese Zugangsdaten gibt es nicht',
  'No such event endpoint': 'Diesen Ereignis-Endpunkt gibt es nicht',
  'No such folder': 'Diesen Ordner gibt es nicht',
  'No such invite': 'Diese Einladung gibt es nicht',
  'No such member': 'Dieses Mitglied gibt es nicht',
  'No such node': 'Diesen Knoten gibt es nicht',
  'No such run': 'Diese Ausführung gibt es nicht',
  'No such session': 'Diese Sitzung gibt es nicht',
  'No such variable': 'Diese Variable gibt es nicht',
  'No such workflow': 'Diesen Workflow gibt es nicht',
  'No such workspace': 'Diesen Arbeitsbereich gibt es nicht',
  'There is no such bulk action': 'Diese Sammelaktion gibt es nicht',
  'There is no such failure group': 'Diese Fehlergruppe gibt es nicht',
  'There is no such output': 'Diese Ausgabe gibt es nicht',
  'There is no such run': 'Diese Ausführung gibt es nicht',
  'There is nothing at this address': 'Unter dieser Adresse gibt es nichts',
  'Nobody here has this e-mail address: send an invite':
    'Niemand hier hat diese E-Mail-Adresse: senden Sie eine Einladung',
  'Only an active key can be rotated': 'Nur ein aktiver Schlüssel kann erneuert werden',
  'Only its owner may connect a private credential': 'Nur ihr Eigentümer kann private Zugangsdaten verbinden',
  'Only owners may do this to or for an owner': 'Das können bei Eigentümern nur Eigentümer',
  'Somebody saved another version in between': 'Inzwischen hat jemand eine andere Version gespeichert',
  'The active version has no such schedule': 'Die aktive Version hat diesen Zeitplan nicht',
  'The credential cannot be decrypted': 'Die Zugangsdaten können nicht entschlüsselt werden',
  'The credential was changed meanwhile: connect it again':
    'Die Zugangsdaten wurden inzwischen geändert: verbinden Sie sie erneut',
  'The current password is wrong': 'Das aktuelle Passwort ist falsch',
  'The e-mail or the password is wrong': 'Die E-Mail-Adresse oder das Passwort ist falsch',
  'The endpoint is disabled: enable it first': 'Der Endpunkt ist ausgeschaltet: schalten Sie ihn zuerst ein',
  'The event is being delivered': 'Das Ereignis wird gerade zugestellt',
  'The callback is being delivered': 'Der Rückruf wird gerade zugestellt',
  'The password is wrong': 'Das Passwort ist falsch',
  'The password was changed meanwhile': 'Das Passwort wurde inzwischen geändert',
  'The provider did not respond in time': 'Der Anbieter hat nicht rechtzeitig geantwortet',
  'The setup token is wrong: the log of the API shows it, in the link to the setup':
    'Das Setup-Token ist falsch: das Protokoll der API zeigt es im Link zum Setup',
  'The test URL is not open: open it in the editor': 'Die Test-URL ist nicht offen: öffnen Sie sie im Editor',
  'The trigger is disabled: enable it first': 'Der Trigger ist ausgeschaltet: schalten Sie ihn zuerst ein',
  'The workflow has no active version': 'Der Workflow hat keine aktive Version',
  'The workflow has no draft': 'Der Workflow hat keinen Entwurf',
  'The workflow has no trigger to start from that is not disabled':
    'Der Workflow hat keinen eingeschalteten Trigger, mit dem er beginnen kann',
  'This attempt to connect does not exist, has expired or was used: connect the credential again':
    'Diesen Verbindungsversuch gibt es nicht, er ist abgelaufen oder wurde schon benutzt: verbinden Sie die Zugangsdaten erneut',
  'This form cannot be filled in here': 'Dieses Formular kann hier nicht ausgefüllt werden',
  'This instance is set up already: sign in instead': 'Diese Instanz ist schon eingerichtet: melden Sie sich an',
  'This invite is for another e-mail address': 'Diese Einladung ist für eine andere E-Mail-Adresse',
  'This invite is not valid, or not any more': 'Diese Einladung ist nicht oder nicht mehr gültig',
  'This needs an administrator of the instance': 'Das kann nur ein Administrator der Instanz',
  'Only the approvers of this wait may answer it': 'Nur die dafür Benannten dürfen antworten',
  'A version that is neither the latest nor the active one needs the permission runs.test':
    'Eine Version, die weder die neueste noch die aktive ist, erfordert das Recht runs.test',
  'This needs the permission {0}': 'Das erfordert das Recht {0}',
  'This person is a member already': 'Diese Person ist schon Mitglied',
  'This sign-in does not exist, has expired or was used: start it again':
    'Diese Anmeldung gibt es nicht, sie ist abgelaufen oder wurde schon benutzt: beginnen Sie sie erneut',
  'Too many attempts to sign in: try again later': 'Zu viele Anmeldeversuche: versuchen Sie es später erneut',
  'Too many exports at once': 'Zu viele Exporte gleichzeitig',
  'Too many requests from your network: try again in a minute':
    'Zu viele Anfragen aus Ihrem Netz: versuchen Sie es in einer Minute erneut',
  'Whoever started the run, or saved its version, may not answer this':
    'Wer die Ausführung gestartet oder ihre Version gespeichert hat, darf hier nicht antworten',
  'You are not a member of this workspace': 'Sie sind nicht Mitglied dieses Arbeitsbereichs',
  'Answer on the page that the link opens': 'Antworten Sie auf der Seite, die der Link öffnet',
  'Send the form of this page': 'Senden Sie das Formular dieser Seite',
  'an API key is private to its owner': 'ein API-Schlüssel gehört nur seinem Eigentümer',
  'cannot be kept, because it cannot be decrypted':
    'kann nicht behalten werden, weil es nicht entschlüsselt werden kann',
  'is the placeholder of a stored secret: send the secret itself':
    'ist der Platzhalter eines gespeicherten Geheimnisses: geben Sie das Geheimnis selbst ein',
  'is in the past': 'liegt in der Vergangenheit',
  'is not a credential of this workspace': 'sind keine Zugangsdaten dieses Arbeitsbereichs',
  'is not a folder of this workspace': 'ist kein Ordner dieses Arbeitsbereichs',
  'is not a workflow of this workspace': 'ist kein Workflow dieses Arbeitsbereichs',
  'is not a version of this workflow': 'ist keine Version dieses Workflows',
  'is within this folder': 'liegt in diesem Ordner',
  'is required': 'ist erforderlich',
  'is not a known field': 'ist kein bekanntes Feld',
  'is not valid': 'ist ungültig',
  'must be before to': 'muss vor dem Ende liegen',
  'must not be more than runRetentionDays': 'darf nicht mehr als runRetentionDays sein',
  'must have a member': 'braucht einen Eintrag',
  'must have at most {0} characters': 'darf höchstens {0} Zeichen haben',
  'must be one of {0}': 'muss eines von diesen sein: {0}',
  'must be string': 'muss Text sein',
  'must be integer': 'muss eine ganze Zahl sein',
  'must be number': 'muss eine Zahl sein',
  'must be boolean': 'muss wahr oder falsch sein',
  'must be array': 'muss eine Liste sein',
  'must be object': 'muss ein Objekt sein',
  'must be an array': 'muss eine Liste sein',
  'must be an object': 'muss ein Objekt sein',
  'must be null': 'muss null sein',
  'must be >= {0}': 'muss mindestens {0} sein',
  'must be <= {0}': 'darf höchstens {0} sein',
  'must be > {0}': 'muss größer als {0} sein',
  'must be < {0}': 'muss kleiner als {0} sein',
  'must be multiple of {0}': 'muss ein Vielfaches von {0} sein',
  'must NOT have fewer than {0} characters': 'muss mindestens {0} Zeichen haben',
  'must NOT have more than {0} characters': 'darf höchstens {0} Zeichen haben',
  'must NOT have fewer than {0} items': 'muss mindestens {0} Einträge haben',
  'must NOT have more than {0} items': 'darf höchstens {0} Einträge haben',
  'must NOT have fewer than {0} properties': 'muss mindestens {0} Felder haben',
  'must NOT have more than {0} properties': 'darf höchstens {0} Felder haben',
  'must NOT have duplicate items (items ## {0} and {1} are identical)':
    'darf keine gleichen Einträge haben (die Einträge {0} und {1} sind gleich)',
  'must match pattern {0}': 'muss dem Muster {0} entsprechen',
  'must match format "email"': 'muss eine E-Mail-Adresse sein',
  'must match format "uri"': 'muss eine Adresse (URI) sein',
  'must match format "date"': 'muss ein Datum sein',
  'must match format "date-time"': 'muss ein Zeitpunkt sein',
  'must match format "uuid"': 'muss eine ID (UUID) sein',
  'must match exactly one schema in oneOf': 'muss genau einer der Möglichkeiten entsprechen',
  'property name must be valid': 'der Name eines Feldes ist ungültig',
  'The instance has no room for more files': 'Die Instanz hat keinen Platz für weitere Dateien',
  'must be a file': 'muss eine Datei sein',
  'must be a file of the type {0}': 'muss eine Datei vom Typ {0} sein',
  'must have at most {0} bytes': 'darf höchstens {0} Bytes haben',
  'A file of at most {0}.': 'Eine Datei mit höchstens {0}.',
  'A file ({0}) of at most {1}.': 'Eine Datei ({0}) mit höchstens {1}.',
  'Up to {0} files, of at most {1} each.': 'Bis zu {0} Dateien mit je höchstens {1}.',
  'Up to {0} files ({1}), of at most {2} each.': 'Bis zu {0} Dateien ({1}) mit je höchstens {2}.',
  'must be an https address': 'muss eine https-Adresse sein',
  'must not contain credentials': 'darf keine Zugangsdaten enthalten',
  'is not a URL': 'ist keine URL',
  'there is no node "{0}"': 'es gibt keinen Knoten „{0}“',
  'there is no node "{0}": did you mean "{1}"?': 'es gibt keinen Knoten „{0}“: meinten Sie „{1}“?',
  '"{0}" is a trigger: nothing leads to it': '„{0}“ ist ein Trigger: nichts führt zu ihm',
  'the same edge is there already': 'dieselbe Verbindung gibt es schon',
  'is required: "{0}" leaves by {1}': 'ist erforderlich: „{0}“ hat die Ausgänge {1}',
  'a workflow needs a trigger, such as trigger.manual':
    'ein Workflow braucht einen Trigger, zum Beispiel trigger.manual',
  'nodes lead back to themselves: {0}': 'Knoten führen zu sich selbst zurück: {0}',
  '"{0}" is also the id of {1}': '„{0}“ ist auch die ID von {1}',
  '"{0}" is not a node type': '„{0}“ ist kein Knotentyp',
  'nodes of type {0} use no credential': 'Knoten vom Typ {0} verwenden keine Zugangsdaten',
  'is required: a credential of type {0}': 'ist erforderlich: Zugangsdaten vom Typ {0}',
  '"{0}" is inside more than {1} loops and try nodes': '„{0}“ ist in mehr als {1} Schleifen und Try-Knoten',
};

/**
 * Returns a function that translates messages of the service, also one after the path of a field (`name: is required`).
 * One that is unknown is returned as it is. @param texts translations of messages, with `{0}` for parts of them
 */
export function createMessageTranslator(texts: Readonly<Record<string, string>>): (message: string) => string {
  const patterns = Object.entries(texts)
    .filter(([text]) => text.includes('{0}'))
    .map(([text, translation]) => ({ expression: toExpression(text), translation }));
  const translate = (message: string): string | undefined => {
    const known = Object.hasOwn(texts, message) ? texts[message] : undefined;
    if (known !== undefined) return known;
    for (const { expression, translation } of patterns) {
      const parts = expression.exec(message)?.slice(1);
      if (parts) return translation.replaceAll(/\{(\d)\}/g, (_, index: string) => parts[Number(index)] ?? '');
    }
    return undefined;
  };
  return (message) => {
    const whole = translate(message);
    if (whole !== undefined) return whole;
    const [, path = '', rest = ''] = /^([\w.[\]-]+: )(.+)$/s.exec(message) ?? [];
    return path + (translate(rest) ?? (path === '' ? message : rest));
  };
}

function toExpression(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{\d\}/g, '(.+?)')}$`, 's');
}
