/** The generated client names this type of browsers, which programs for Node.js know as the body of a request only. */
type BodyInit = NonNullable<RequestInit['body']>;
