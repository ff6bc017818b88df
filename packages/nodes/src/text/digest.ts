import Type from 'typebox';

/** What a digest is made by. md5 and sha1 only identify: they prove nothing. */
export const AlgorithmParameter = Type.Optional(
  Type.Enum(['sha256', 'sha384', 'sha512', 'sha1', 'md5'], { default: 'sha256', description: 'How it is made' }),
);

/** How a digest is written. */
export const EncodingParameter = Type.Optional(
  Type.Enum(['hex', 'base64', 'base64url'], { default: 'hex', description: 'How it is written' }),
);

/** What a digest is made of, and how that is written. */
export const dataParameters = {
  data: Type.String({ description: 'What it is made of' }),
  dataEncoding: Type.Optional(
    Type.Enum(['utf8', 'base64', 'hex'], { default: 'utf8', description: 'How `data` is written' }),
  ),
};
