/** A place in the file holds something else than what belongs there, or holds it in a way that is not changed here. */
export class WrongShape extends Error {
  readonly place: string;

  constructor(place: string) {
    super('wrong shape');
    this.place = place;
  }
}
